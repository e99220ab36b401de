# `cmake --install build --prefix X` makes a folder that runs wherever it is moved: the program looks for its
# libraries in ../lib, and they for each other beside themselves.
include(GNUInstallDirs)
set_target_properties(hasa PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
install(TARGETS hasa RUNTIME DESTINATION bin)

install(FILES ${HASA_TORCH_LIBRARIES} DESTINATION lib)
if(HASA_TURTLE AND HASA_SERD_LIBRARY MATCHES "[.]so$")
  # The system's file is a link to one with the whole version in its name; what the program asks for is libserd-0.so.0.
  file(REAL_PATH "${HASA_SERD_LIBRARY}" serd)
  install(FILES "${serd}" DESTINATION lib RENAME libserd-0.so.0)
endif()

install(DIRECTORY configs DESTINATION share/hasa)
install(FILES LICENSE DESTINATION share/hasa)
# The default language model (90 MB), where set-up has fetched it. In .venv it is a link into a package, which has to
# be followed: what is installed are the files themselves.
install(CODE "
  set(installed \"\${CMAKE_INSTALL_PREFIX}/share/hasa/models/all-MiniLM-L6-v2\")
  file(REAL_PATH \"${HASA_VENV}/models/all-MiniLM-L6-v2\" model)
  if(EXISTS \"\${model}\")
    if(IS_SYMLINK \"\$ENV{DESTDIR}\${installed}\")
      file(REMOVE \"\$ENV{DESTDIR}\${installed}\")
    endif()
    file(INSTALL \"\${model}/\" DESTINATION \"\${installed}\" TYPE DIRECTORY)
  endif()")
