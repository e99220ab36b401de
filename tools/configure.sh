#!/usr/bin/env bash
# tools/configure.sh PRESET [-DNAME=VALUE...]: configures the preset's build folder where that changes something.
# Ninja configures by itself when CMake files change; this is for the first time, for options not yet on, and
# for a clone that was moved.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1; shift
folder=build-$preset
[ "$preset" != release ] || folder=build
set -- "$@" "-DHASA_CUDA=$(cat .venv/.hasa/cuda-wanted)"

cache=$folder/CMakeCache.txt
if [ -f "$cache" ] && ! grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then
  rm -rf "$folder"
fi
current=yes
[ "$folder/build.ninja" -nt CMakePresets.json ] || current=no  # missing, or made before the preset changed
for option in "$@"; do
  name=${option%%=*} value=${option#*=}
  grep -q "^${name#-D}:[A-Z]*=$value\$" "$cache" 2>/dev/null || current=no
done
[ "$preset" != lint ] || current=no  # no build there looks for new files
[ $current = no ] || exit 0
echo "configuring $folder"
said=$(cmake --preset "$preset" "$@" 2>&1) || { echo "$said"; exit 1; }
