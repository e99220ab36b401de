#!/usr/bin/env bash
# Trains on two machines, one process for each GPU, started by torchrun. Run the same line on both:
#
#   HEAD=node1 GPUS=8 examples/dist/torchrun.sh --config configs/wn18rr_joint.yaml --set graph=/shared/wn18rr --out /shared/run
#
# The graph, the language model and the run folder must lie under the same path on both machines. After a fault torchrun
# starts all processes again, up to three times, and --resume goes on from the last checkpoint; there is nothing to
# resume the first time, which is no error. With NNODES=1:2 it goes on with one machine if the other is lost (not HEAD,
# which keeps the rendezvous).
set -euo pipefail
# Else a start of the others would look for the workers' store on a machine that is gone.
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1
exec torchrun --no-python --nnodes="${NNODES:-2}" --nproc-per-node="${GPUS:-1}" --max-restarts=3 \
  --rdzv-backend=c10d --rdzv-endpoint="${HEAD:?the name of the first machine}:29400" --rdzv-id=hasa \
  "${HASA:-hasa}" train "$@" --resume
