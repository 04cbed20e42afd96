/* dp: the trusted core. The only module that makes random bits and draws noise. */
#ifndef PDPR_DP_DP_H
#define PDPR_DP_DP_H

#include "base/base.h"
#include "dp/barrier.h"
#include "dp/meter.h"
#include "dp/noise_key.h"
#include "dp/random_stream.h"

#endif
