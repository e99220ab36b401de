find_program(HASA_CCACHE ccache)
if(HASA_CCACHE)
  # ccache accepts a precompiled header only when told not to compare its time stamps.
  set(launcher env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${HASA_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher})
endif()
