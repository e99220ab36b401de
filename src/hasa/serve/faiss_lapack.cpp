// FAISS's archive asks for six functions of LAPACK and BLAS that LibTorch does not export. Its principal components and
// its additive quantisers call them, which nothing here trains. The distribution's libraries must not supply them: with
// them would come their sgemm_, which takes over LibTorch's and makes it many times slower.

#ifdef HASA_FAISS

#include "hasa/base/error.h"

namespace {

[[noreturn]] void refuse_lapack() {
  hasa::fail(hasa::ErrorKind::unavailable, "this part of FAISS needs a LAPACK that hasa is built without");
}

}  // namespace

// Their names and arguments are Fortran's. NOLINTBEGIN(readability-identifier-naming)
extern "C" {
int sgesvd_() { refuse_lapack(); }
int dgesvd_() { refuse_lapack(); }
int dsyev_() { refuse_lapack(); }
int ssyrk_() { refuse_lapack(); }
int sgetri_() { refuse_lapack(); }
int dgetri_() { refuse_lapack(); }
}
// NOLINTEND(readability-identifier-naming)

#endif
