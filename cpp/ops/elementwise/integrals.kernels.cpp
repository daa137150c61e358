// Kernels of integrals. The polynomials are Chebyshev series of our own, written in powers of a variable that runs from
// -1 to 1 over an interval.
#include <Eigen/Core>
#include <limits>
#include <numbers>
#include <unsupported/Eigen/SpecialFunctions>

#include "ops/elementwise/loops.kernels.h"

namespace tracefn {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The polynomial for the interval [low, high] at x.
template <std::size_t n>
double series(const double (&coefficients)[n], double low, double high, double x) {
  const double u = (x - (low + high) / 2) / ((high - low) / 2);
  double value = coefficients[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) value = madd(value, u, coefficients[i]);
  return value;
}

// Dawson's integral over x up to 1, as a function of x^2; the integral itself; 2 x times it from 5 on, of 1 / x^2.
constexpr double kDawsnNear[] = {0.7247784590070764,     -0.22477845900707633,   0.04358384425530725,
                                 -0.0061207677541281185, 0.0006727872222144733,  -6.071044679960492e-05,
                                 4.6448449503488215e-06, -3.083844717023031e-07, 1.8081655554010173e-08,
                                 -9.491731864257905e-10, 4.5101726983020786e-11, -1.966855302502611e-12,
                                 7.852699376120479e-14};
constexpr double kDawsn1[] = {
    0.4282490710853986,      -0.1423736066280979,     -0.0002820628002762038,  0.023869965838152537,
    -0.008915979339273348,   0.0002877972179998738,   0.0006710489737806703,   -0.00016435315307488193,
    -1.1124344706719488e-05, 1.0984789323872682e-05,  -1.0915010010832523e-06, -3.5047047616858054e-07,
    8.928767532143994e-08,   3.1816934681125897e-09,  -3.5292913723277475e-09, 2.427751927986237e-10,
    8.717173638585006e-11,   -1.2784213991776186e-11, -1.1974341892990957e-12};
constexpr double kDawsn2[] = {
    0.20961840443292779,     -0.06281038954554431,    0.02116610611654612,    -0.006793556287487039,
    0.0014388340411947127,   0.0001172583303903254,   -0.000251473831923096,  0.0001047914914399985,
    -1.8422893478755213e-05, -2.3798034924225738e-06, 2.2201605168812487e-06, -4.93244370763306e-07,
    -9.667792329938779e-09,  3.208370211834678e-08,   -6.983494040169025e-09, -1.4518474405258075e-10,
    3.73630803633112e-10,    -6.40497326984419e-11,   -5.888606844837692e-12, 3.0440895596818586e-12};
constexpr double kDawsn3[] = {0.12514746807550867,    -0.028408285170078228,   0.006720124040439728,
                              -0.0016702362500793373, 0.0004417069983362168,   -0.00012620462728975295,
                              3.911263531258925e-05,  -1.2727642663481797e-05, 3.998306164326154e-06,
                              -1.041509292733449e-06, 1.3959799865978114e-07,  5.3376664940563e-08,
                              -4.992029321668094e-08, 2.1422717623071982e-08,  -5.59020120486995e-09,
                              5.166921945131019e-10,  3.0650832465641403e-10,  -1.872511181777193e-10,
                              4.580636916551185e-11,  2.374813431785412e-12,   -3.0985464554040593e-12};
constexpr double kDawsnFar[] = {
    1.01031615649186,       0.010649746347064306,   0.0003524366198142889,   2.04155603340769e-05,
    1.7463311986398027e-06, 2.036564253041252e-07,  3.099021463773856e-08,   6.005592343566337e-09,
    1.468058569802915e-09,  4.4948872587510536e-10, 1.7335732833169952e-10,  1.0316726187928532e-10,
    7.841474583951571e-11,  2.1521190452202857e-11, -3.2087887283607666e-11, -2.7579182385663105e-11,
    -7.43197067899083e-13,  5.37015704520421e-12,   1.2971632914723164e-12};

double positive_dawsn(double x) {
  if (x <= 1) return x * series(kDawsnNear, 0, 1, x * x);
  if (x <= 2) return series(kDawsn1, 1, 2, x);
  if (x <= 3.25) return series(kDawsn2, 2, 3.25, x);
  if (x <= 5) return series(kDawsn3, 3.25, 5, x);
  return series(kDawsnFar, 0, 0.04, 1 / (x * x)) / (2 * x);
}

// The zero of the exponential integral, and the rest of it.
constexpr double kExpintZero = 0.3725074107813666, kExpintZeroRest = 1.3140183414386028e-17;
// (Ei(x) - log(x / zero)) / (x - zero) up to 2; then x exp(-x) Ei(x) as functions of 1 / x.
constexpr double kExpintNear[] = {
    1.446422611684994,      0.43324689636984515,  0.10638070437338108,    0.021247954051104804,   0.0035515323722779425,
    0.000509336313517471,   6.39170941079777e-05, 7.1278864009032825e-06, 7.151501287164142e-07,  6.520670666939847e-08,
    5.4483136873410985e-09, 4.20054197017524e-10, 3.0068119850824044e-11, 2.0365370636849464e-12, 1.27412463223862e-13};
constexpr double kExpint2[] = {
    1.4690759550251136,      -0.07273558054160355,   -0.07757446524908558,   0.025499719178771366,
    -0.0027436931548424004,  -0.0011081934838491714, 0.0007670982002413741,  -0.00027191878274888546,
    6.515705797523591e-05,   -7.733371280122649e-06, -2.30535468058993e-06,  2.0618897047589547e-06,
    -9.296648314617707e-07,  3.2093471800978965e-07, -9.023841306090321e-08, 1.9445536802718353e-08,
    -1.8165533336769227e-09, -8.526517996953767e-10, 5.057269421425657e-10,  -2.933486261757578e-10,
    2.066639090489553e-10,   -6.041689138395337e-11};
constexpr double kExpint4[] = {
    1.3269243537087099,      0.13889073313480316,    -0.019704956764727652,   -0.011018015667938197,
    0.0031723596842964867,   0.00020391346988079935, -0.0003579319894116862,  0.00011125325287322358,
    -1.0011391758097621e-05, -6.662064577240385e-06, 4.036066653590161e-06,   -1.24318191644234e-06,
    1.9903720530500302e-07,  2.7153282170096606e-08, -3.4614458866559156e-08, 1.535592937613474e-08,
    -4.519860783645563e-09,  8.870798369861291e-10,  -7.693671686319197e-11,  -8.210733749256372e-11,
    8.113391585347615e-11,   -2.367194171353604e-11};
constexpr double kExpint8[] = {
    1.120311700129995,       0.054337700418872606,   0.007191967194669701,   0.000503260795250058,
    -0.0004455564676364368,  -9.424056717002341e-05, 4.300042369229609e-05,  4.1974679162649715e-06,
    -4.938469762322718e-06,  7.438386492164689e-07,  2.872133813290541e-07,  -1.6506193169737394e-07,
    2.7322551241590838e-08,  6.872248727104528e-09,  -5.529277838666983e-09, 1.5573214582779097e-09,
    -5.1584791813075384e-11, -1.52038100047062e-10,  5.876854705741555e-11,  -6.707221713811073e-12};
constexpr double kExpint16[] = {1.0520424679682245,      0.019398949562410547,    0.000827764331353287,
                                6.527974487008927e-05,   8.992667643401676e-06,   1.5913271817665463e-06,
                                8.088532179304238e-08,   -1.1945758279692547e-07, -3.9387662109890177e-08,
                                5.476602506565956e-09,   4.365542427113877e-09,   -5.084969029668601e-10,
                                -4.224883300322833e-10,  9.083575256347552e-11,   3.2712779772059995e-11,
                                -1.3949403875267482e-11, -1.3345317658623593e-12, 1.2006154408965461e-12};
constexpr double kExpint32[] = {1.0246216146810785,     0.008633537237199895,   0.00015385091920561616,
                                4.373310957607634e-06,  1.7754208430991038e-07, 9.74458934344716e-09,
                                7.041547870194631e-10,  6.670823958670797e-11,  8.483534525027546e-12,
                                1.4747760937291301e-12, 2.7654726375069376e-13, 2.800362148539907e-14};
constexpr double kExpintFar[] = {1.00793752440814,      0.008065599833803228,  0.00013122740863102874,
                                 3.257198002988866e-06, 1.096831234163152e-07, 4.69993705723697e-09,
                                 2.461471845470551e-10, 1.532412490074743e-11, 1.1117529090311156e-12,
                                 9.526056629921049e-14, 9.095517880454522e-15};

double scaled_expint(double x) {
  if (x <= 4) return series(kExpint2, 1.0 / 4, 1.0 / 2, 1 / x);
  if (x <= 8) return series(kExpint4, 1.0 / 8, 1.0 / 4, 1 / x);
  if (x <= 16) return series(kExpint8, 1.0 / 16, 1.0 / 8, 1 / x);
  if (x <= 32) return series(kExpint16, 1.0 / 32, 1.0 / 16, 1 / x);
  if (x <= 64) return series(kExpint32, 1.0 / 64, 1.0 / 32, 1 / x);
  return series(kExpintFar, 0, 1.0 / 64, 1 / x);
}
double positive_expint(double x) {
  if (x <= 2) {
    const double beside = (x - kExpintZero) - kExpintZeroRest, near = beside / kExpintZero;
    const double logarithm = std::abs(near) < 0.5 ? std::log1p(near) : std::log(x / kExpintZero);
    return madd(beside, series(kExpintNear, 0, 2, x), logarithm);
  }
  // exp(x) may be too large where the quotient is not.
  const double root = std::exp(x / 2);
  return root * (scaled_expint(x) / x) * root;
}

// The cosine integral over x, and the sine integral over x^3, up to 1.6, as functions of x^4.
constexpr double kFresnelCos[] = {0.4434581121445708,     -0.3498350978515388,    0.16644305991154662,
                                  -0.035626646649955504,  0.004287818385200404,   -0.00033077607764280323,
                                  1.7764277355285855e-05, -7.02832015478979e-07,  2.1346443259467087e-08,
                                  -5.135327076542385e-10, 1.0036019071703535e-11, -1.6229472687215536e-13};
constexpr double kFresnelSin[] = {0.288939362640846,       -0.1761356501395447,   0.050132952592302285,
                                  -0.007629278744901796,   0.0007142320312441955, -4.516895088622189e-05,
                                  2.0578118584380482e-06,  -7.07444123194603e-08, 1.9005632610677375e-09,
                                  -4.1002408595059045e-11, 7.264260360933873e-13, -1.0746132833319161e-14};
// The auxiliary functions, f times pi x and g times pi^2 x^3, from 1.6 to 2.5 and from there on, of 1 / x^4.
constexpr double kFresnelFMiddle[] = {
    0.9781117223511073,     -0.013123337731293655,   0.001264289961447693,   -0.0002222189755408748,
    5.297460482858502e-05,  -1.5208518493519076e-05, 4.952630222138216e-06,  -1.7673873489365485e-06,
    6.762585014421234e-07,  -2.7341648485962645e-07, 1.1572354911511883e-07, -5.0842927710148896e-08,
    2.262531314412397e-08,  -1.037683745310973e-08,  5.8899679146251974e-09, -3.1218318039435103e-09,
    4.631144396962065e-11,  2.678754357260939e-10,   1.4295174510376551e-09, -9.453130956363051e-10,
    -5.428439784958186e-10, 3.7016823145068356e-10,  1.9711458662382953e-10, -1.208662728895292e-10};
constexpr double kFresnelGMiddle[] = {
    0.9044536796262576,     -0.051424396130966124,   0.007636829521460041,   -0.0016995133602897793,
    0.0004737600502368791,  -0.0001525916424047506,  5.4376463571702464e-05, -2.0887940858883317e-05,
    8.504486868440378e-06,  -3.627746599881825e-06,  1.6077937366759582e-06, -7.350858015745125e-07,
    3.453251749037936e-07,  -1.6863514972377328e-07, 8.382882882168876e-08,  -3.556695679488073e-08,
    1.614180008883599e-08,  -2.0132431711548932e-08, 1.3206225863285498e-08, 8.192098442678352e-09,
    -6.880609200584568e-09, -9.572498959305316e-09,  6.7168747514371656e-09, 3.86762487184373e-09,
    -2.666148272252157e-09, -1.030889861285731e-09,  6.598416043958806e-10};
constexpr double kFresnelFFar[] = {0.9962673834758357,      -0.0035898473856467985, 0.00012983993691447805,
                                   -1.1029493596192232e-05, 1.5185799912021447e-06, -2.861122462757598e-07,
                                   6.721277766999847e-08,   -1.860264308223579e-08, 5.8451944059053254e-09,
                                   -2.0244559449552523e-09, 7.593217319849054e-10,  -3.3012062989793533e-10,
                                   1.5299290826717456e-10,  -2.198781469139003e-11, -6.145951362573856e-12,
                                   -5.754621176964845e-11,  4.3436245705392424e-11, 2.5214399895484715e-11,
                                   -2.0366553346528832e-11, -1.00057640815932e-11,  7.013900488340693e-12};
constexpr double kFresnelGFar[] = {
    0.9819079939332481,     -0.016910517432915575,   0.0010362055091541582,  -0.00011908613704765354,
    2.0093612079390666e-05, -4.395247814057891e-06,  1.1594853602837117e-06, -3.5245092871631156e-07,
    1.1972823094959986e-07, -4.4449376829558046e-08, 1.7749515149428117e-08, -7.710157135484875e-09,
    3.5703886247127136e-09, -1.175288978707149e-09,  3.0617000765190947e-10, -1.239172226875911e-09,
    1.079496013268238e-09,  1.0077189865887059e-09,  -1.013797054486902e-09, -9.82551375493127e-10,
    8.736210923329677e-10,  4.6101263913773046e-10,  -3.939824457884162e-10, -1.1385679782092648e-10,
    9.013800686161595e-11};

constexpr double kFresnelNear = 1.6, kFresnelFar = 2.5;
constexpr double fourth_power(double x) { return x * x * x * x; }

// 1/2 + wave(f, g, sine, cosine) for x > 1.6, where the sine and the cosine are those of pi x^2 / 2.
template <typename Wave>
double beyond_fresnel(double x, Wave wave) {
  if (x > 0x1p53) return 0.5;
  // The square modulo its period of four, exactly.
  const double square = x * x, rest = std::fma(x, x, -square);
  const double angle = std::numbers::pi / 2 * (std::fmod(square, 4) + std::fmod(rest, 4));
  const double u = 1 / (square * square), low = 1 / fourth_power(kFresnelFar), high = 1 / fourth_power(kFresnelNear);
  const double f = u > low ? series(kFresnelFMiddle, low, high, u) : series(kFresnelFFar, 0, low, u);
  const double g = u > low ? series(kFresnelGMiddle, low, high, u) : series(kFresnelGFar, 0, low, u);
  const double over = 1 / (std::numbers::pi * x);
  return 0.5 + wave(f * over, g * over / (std::numbers::pi * square), std::sin(angle), std::cos(angle));
}
double positive_fresnel_cos(double x) {
  if (x <= kFresnelNear) return x * series(kFresnelCos, 0, fourth_power(kFresnelNear), fourth_power(x));
  return beyond_fresnel(x, [](double f, double g, double sine, double cosine) { return f * sine - g * cosine; });
}
double positive_fresnel_sin(double x) {
  if (x <= kFresnelNear) return x * x * x * series(kFresnelSin, 0, fourth_power(kFresnelNear), fourth_power(x));
  return beyond_fresnel(x, [](double f, double g, double sine, double cosine) { return -f * cosine - g * sine; });
}

// The dilogarithm of 1 - x. From 1/2 to 2 a series in u = -log(x), of the Bernoulli numbers B(2k) / (2k + 1)!;
// elsewhere by the reflection formulas (Lewin, Polylogarithms and associated functions, 1981, section 1.2).
double spence(double x) {
  if (x < 0 || std::isnan(x) || std::isinf(x)) return kNaN;
  constexpr double kZeta2 = std::numbers::pi * std::numbers::pi / 6;
  if (x == 0) return kZeta2;
  if (x < 0.5) return kZeta2 - std::log(x) * std::log1p(-x) - spence(1 - x);
  if (x > 2) {
    const double logarithm = std::log(x);
    return -0.5 * logarithm * logarithm - spence(1 / x);
  }
  static constexpr double bernoulli[] = {0.027777777777777776,   -0.0002777777777777778,  4.72411186696901e-06,
                                         -9.185773074661964e-08, 1.8978869988971e-09,     -4.0647616451442256e-11,
                                         8.921691020456452e-13,  -1.9939295860721074e-14, 4.518980029619918e-16,
                                         -1.0356517612181247e-17};
  const double u = -std::log(x), square = u * u;
  double value = 0;
  for (std::size_t i = std::size(bernoulli); i-- > 0;) value = madd(value, square, bernoulli[i]);
  return u + square * (value * u - 0.25);
}

// of(|x|) with the sign of x; NaN stays.
template <typename F>
double odd(double x, F of) {
  return std::isnan(x) ? x : std::copysign(of(std::abs(x)), x);
}

}  // namespace

namespace functions {

double Dawsn::of(double x) { return odd(x, positive_dawsn); }
// As in TensorFlow, NaN below zero and at infinity.
double Expint::of(double x) {
  if (x == 0) return -std::numeric_limits<double>::infinity();
  return x > 0 && x <= std::numeric_limits<double>::max() ? positive_expint(x) : kNaN;
}
double FresnelCos::of(double x) { return odd(x, positive_fresnel_cos); }
double FresnelSin::of(double x) { return odd(x, positive_fresnel_sin); }
double Spence::of(double x) { return spence(x); }
double Igamma::of(double a, double x) { return Eigen::internal::igamma_impl<double>::run(a, x); }
double Igammac::of(double a, double x) { return Eigen::internal::igammac_impl<double>::run(a, x); }
double IgammaGradA::of(double a, double x) { return Eigen::internal::igamma_der_a_impl<double>::run(a, x); }
double Betainc::of(double a, double b, double x) { return Eigen::internal::betainc_impl<double>::run(a, b, x); }

}  // namespace functions

void fill_integrals(BlockRow* rows) { fill_rows(rows, functions::IntegralFunctions{}); }

}  // namespace tracefn
