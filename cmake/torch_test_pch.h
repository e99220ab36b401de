#pragma once

// Without autograd's headers, which few tests need and every file would pay a second for.
#include <torch/types.h>

#include "test_pch.h"
