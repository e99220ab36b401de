# `pip install .` builds here with the pip user's Python. LibTorch and the language model come from where they always
# do, .venv, which is made now if it is not there; system packages are for the user to install.
if(NOT HASA_TORCH_DIR)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=PYTHONPATH --unset=PYTHONHOME "PYTHON=${Python_EXECUTABLE}"
    "${CMAKE_SOURCE_DIR}/tools/setup.sh" --wheels RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "tools/setup.sh could not fetch LibTorch; what it said is above")
  endif()
endif()
