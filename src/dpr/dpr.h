/* dpr: deep PageRank and the reconstruction of the paper, without privacy. The training loop hands
 * the gradient of V to a callback; whoever wants privacy puts the barrier of src/dp there. */
#ifndef PDPR_DPR_DPR_H
#define PDPR_DPR_DPR_H

#include "base/base.h"
#include "dp/dp.h"
#include "graph/graph.h"

#include "dpr/adam.h"
#include "dpr/edge_loss.h"
#include "dpr/matrix.h"
#include "dpr/network.h"
#include "dpr/paper_constants.h"
#include "dpr/reconstruct.h"
#include "dpr/score_sample.h"
#include "dpr/sigmoid.h"
#include "dpr/signal_bound.h"
#include "dpr/spectral_norm.h"
#include "dpr/start_values.h"
#include "dpr/train.h"
#include "dpr/walks.h"

#endif
