#!/usr/bin/env bash
# Trains on two machines, one process for each GPU, started by torchrun. Run the same line on both:
#
#   HEAD=node1 GPUS=8 examples/dist/torchrun.sh --config configs/wn18rr_joint.yaml --set graph=/shared/wn18rr --out /shared/run
#
# The graph and the language model must lie under the same path on both machines, the run folder on the one that rank 0
# runs on. After a fault torchrun starts all processes again, up to three times, and --resume goes on from the last
# checkpoint; there is nothing to resume the first time, which is no error.
set -euo pipefail
exec torchrun --no-python --nnodes=2 --nproc-per-node="${GPUS:-1}" --max-restarts=3 \
  --rdzv-backend=c10d --rdzv-endpoint="${HEAD:?the name of the first machine}:29400" --rdzv-id=hasa \
  "${HASA:-hasa}" train "$@" --resume
