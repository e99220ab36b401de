#include "hasa/page/png.h"

#include <dlfcn.h>

#include <map>
#include <regex>

namespace hasa {
namespace {

constexpr double kPixelsPerUnit = 3;

// The few functions of librsvg and cairo that are needed, as their headers declare them; objects are opaque.
struct Rectangle {
  double x, y, width, height;
};
using WriteFunction = int (*)(void* closure, const unsigned char* data, unsigned int length);

/// Their libraries stay open: they keep state that they do not expect to lose.
class Rsvg {
 public:
  Rsvg() {
    void* rsvg = ::dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
    void* cairo = ::dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    void* objects = ::dlopen("libgobject-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
    if (rsvg == nullptr || cairo == nullptr || objects == nullptr) return;
    ready = find(rsvg, "rsvg_handle_new_from_data", new_from_data) &&
            find(rsvg, "rsvg_handle_get_intrinsic_size_in_pixels", size_in_pixels) &&
            find(rsvg, "rsvg_handle_render_document", render) && find(objects, "g_object_unref", unref) &&
            find(cairo, "cairo_image_surface_create", new_surface) && find(cairo, "cairo_create", new_context) &&
            find(cairo, "cairo_destroy", destroy_context) && find(cairo, "cairo_surface_destroy", destroy_surface) &&
            find(cairo, "cairo_surface_write_to_png_stream", write_png);
  }

  bool ready = false;
  void* (*new_from_data)(const unsigned char* data, std::size_t length, void** error) = nullptr;
  int (*size_in_pixels)(void* handle, double* width, double* height) = nullptr;
  int (*render)(void* handle, void* context, const Rectangle* viewport, void** error) = nullptr;
  void (*unref)(void* object) = nullptr;
  void* (*new_surface)(int format, int width, int height) = nullptr;
  void* (*new_context)(void* surface) = nullptr;
  void (*destroy_context)(void* context) = nullptr;
  void (*destroy_surface)(void* surface) = nullptr;
  int (*write_png)(void* surface, WriteFunction write, void* closure) = nullptr;

 private:
  template <class Function>
  static bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
  }
};

int append(void* closure, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return 0;  // CAIRO_STATUS_SUCCESS
}

/// librsvg knows no var(): the names of the style sheet's first rule are put in the place of their uses.
std::string without_variables(const std::string& svg) {
  static const std::regex kDefined("(--[a-z0-9-]+):\\s*([^;}]+)"), kUsed("var\\((--[a-z0-9-]+)\\)");
  std::map<std::string, std::string> values;
  for (std::sregex_iterator each(svg.begin(), svg.end(), kDefined), end; each != end; ++each)
    values.emplace((*each)[1], (*each)[2]);
  std::string text;
  auto from = svg.cbegin();
  for (std::sregex_iterator each(svg.begin(), svg.end(), kUsed), end; each != end; ++each) {
    text.append(from, (*each)[0].first).append(values[(*each)[1]]);
    from = (*each)[0].second;
  }
  return text.append(from, svg.cend());
}

std::string draw_png(const Rsvg& rsvg, void* handle) {
  constexpr int kArgb32 = 0;
  std::string png;
  double width = 0, height = 0;
  if (rsvg.size_in_pixels(handle, &width, &height) == 0) return png;
  const Rectangle whole{0, 0, kPixelsPerUnit * width, kPixelsPerUnit * height};
  void* surface = rsvg.new_surface(kArgb32, static_cast<int>(whole.width + 0.5), static_cast<int>(whole.height + 0.5));
  void* context = rsvg.new_context(surface);
  const bool drawn = rsvg.render(handle, context, &whole, nullptr) != 0;
  if (drawn && rsvg.write_png(surface, append, &png) != 0) png.clear();
  rsvg.destroy_context(context);
  rsvg.destroy_surface(surface);
  return png;
}

}  // namespace

std::optional<std::string> png_of_svg(const std::string& svg) {
  static const Rsvg rsvg;
  if (!rsvg.ready) return std::nullopt;
  const std::string plain = without_variables(svg);
  void* handle = rsvg.new_from_data(reinterpret_cast<const unsigned char*>(plain.data()), plain.size(), nullptr);
  if (handle == nullptr) return std::nullopt;
  std::string png = draw_png(rsvg, handle);
  rsvg.unref(handle);
  if (png.empty()) return std::nullopt;
  return png;
}

}  // namespace hasa
