// TensorFlow's sets of dtypes for attributes of op records, in its order, which is part of an error text.
#pragma once

#define TRACEFN_EVERY_NUMBER                                                                                       \
  "float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, " \
  "uint16, complex128, half, uint32, uint64"
#define TRACEFN_EVERY_REAL_NUMBER \
  "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"
#define TRACEFN_EVERY_QUANTIZED "qint8, quint8, qint32, qint16, quint16"

#define TRACEFN_NUMBERS "{" TRACEFN_EVERY_NUMBER "}"
#define TRACEFN_REAL_NUMBERS "{" TRACEFN_EVERY_REAL_NUMBER "}"
#define TRACEFN_QUANTIZED "{" TRACEFN_EVERY_QUANTIZED "}"
#define TRACEFN_FLOATS "{half, bfloat16, float, double}"
#define TRACEFN_INDEX "{int32, int64}"
