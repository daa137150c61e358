// SampleStream: doubles drawn one at a time from a range of a Philox stream, in the order in which TensorFlow's
// samplers draw them: a block makes two numbers of a kind, and the second one comes first.
#pragma once

#include <cmath>
#include <numbers>

#include "math/philox.h"

namespace tracefn {

class SampleStream {
 public:
  SampleStream(const Philox& start, std::uint64_t blocks) : at_(start) { at_.skip(blocks); }

  // In [0, 1).
  double uniform() {
    if (uniforms_left_ == 0) {
      std::uint32_t w[4];
      draw(w);
      uniforms_[0] = unit_double(w[0], w[1]);
      uniforms_[1] = unit_double(w[2], w[3]);
      uniforms_left_ = 2;
    }
    return uniforms_[--uniforms_left_];
  }

  // By the transform of Box and Muller.
  double normal() {
    if (normals_left_ == 0) {
      std::uint32_t w[4];
      draw(w);
      double u = unit_double(w[0], w[1]), angle = 2.0 * std::numbers::pi * unit_double(w[2], w[3]);
      double radius = std::sqrt(-2.0 * std::log(u < 1.0e-7 ? 1.0e-7 : u));
      normals_[0] = std::sin(angle) * radius;
      normals_[1] = std::cos(angle) * radius;
      normals_left_ = 2;
    }
    return normals_[--normals_left_];
  }

 private:
  void draw(std::uint32_t (&words)[4]) {
    at_.words(words);
    at_.skip(1);
  }

  Philox at_;
  double uniforms_[2] = {}, normals_[2] = {};
  int uniforms_left_ = 0, normals_left_ = 0;
};

}  // namespace tracefn
