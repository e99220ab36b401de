#!/usr/bin/env bash
# Trains with several processes in a container, started by its shell as an orchestrator would start them: each is told
# its place by four variables, and a fifth how long a process may be silent before the others give it up.
#
#   docker run --rm --network=host -v /data:/data IMAGE examples/dist/container.sh 2 --config C --set graph=/data/graph --out /data/run
#
# On several hosts start each process yourself, with RANK counted over all of them, LOCAL_RANK on each host, and
# MASTER_ADDR the host of rank 0; containers must reach each other on all ports (--network=host, or one pod network).
set -euo pipefail
processes=${1:?the number of processes}
shift
export WORLD_SIZE=$processes LOCAL_WORLD_SIZE=$processes MASTER_ADDR=127.0.0.1 MASTER_PORT=${MASTER_PORT:-29500}
export HASA_RANK_TIMEOUT=${HASA_RANK_TIMEOUT:-60}
for ((rank = 1; rank < processes; ++rank)); do
  RANK=$rank LOCAL_RANK=$rank "${HASA:-hasa}" train "$@" --resume &
done
RANK=0 LOCAL_RANK=0 exec "${HASA:-hasa}" train "$@" --resume
