#include "hasa/kg/read/turtle.h"

#include "hasa/base/error.h"

#ifdef HASA_SERD

#include <serd/serd.h>

#include <cstdarg>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

namespace hasa {
namespace {

/// Statements are handed on so many at a time.
constexpr std::size_t kStatementsAtOnce = 1 << 16;

std::string_view text_of(const SerdNode& node) { return {reinterpret_cast<const char*>(node.buf), node.n_bytes}; }

/// A node that serd allocated.
class OwnNode {
 public:
  explicit OwnNode(SerdNode node) : node_(node) {}
  ~OwnNode() { ::serd_node_free(&node_); }
  OwnNode(const OwnNode&) = delete;
  OwnNode& operator=(const OwnNode&) = delete;
  const SerdNode& node() const { return node_; }

 private:
  SerdNode node_;
};

/// What serd calls back. Its C code must not be left by an exception: the first one waits here.
class TurtleReader {
 public:
  TurtleReader(ByteSource& source, bool trig, const RdfTexts& texts, std::string_view blank_scope, Split split,
               Prefixes& prefixes, GraphGatherer& gatherer)
      : source_(source),
        texts_(texts),
        blank_scope_(blank_scope),
        split_(split),
        prefixes_(prefixes),
        gatherer_(gatherer),
        env_(::serd_env_new(nullptr), ::serd_env_free),
        reader_(
            ::serd_reader_new(trig ? SERD_TRIG : SERD_TURTLE, this, nullptr, on_base, on_prefix, on_statement, nullptr),
            ::serd_reader_free) {
    ::serd_reader_set_error_sink(reader_.get(), on_error, this);
  }

  void read() {
    constexpr std::size_t kPage = 1 << 16;
    const std::string name = source_.name();
    ::serd_reader_start_source_stream(reader_.get(), on_read, on_error_asked, this,
                                      reinterpret_cast<const std::uint8_t*>(name.c_str()), kPage);
    SerdStatus status = SERD_SUCCESS;
    while (status == SERD_SUCCESS && error_.empty() && !thrown_) {
      status = ::serd_reader_read_chunk(reader_.get());
      if (statements_.triples.size() + statements_.texts.size() >= kStatementsAtOnce) hand_on();
    }
    ::serd_reader_end_stream(reader_.get());
    if (thrown_) std::rethrow_exception(thrown_);
    HASA_CHECK(error_.empty() && status <= SERD_FAILURE, data,
               "{}\nnothing was imported; Turtle cannot be parsed beyond a syntax error, so no line can be skipped",
               error_.empty() ? fmt::format("{}: not Turtle", name) : error_);
    hand_on();
  }

 private:
  static TurtleReader& self(void* handle) { return *static_cast<TurtleReader*>(handle); }

  static std::size_t on_read(void* into, std::size_t size, std::size_t count, void* handle) {
    try {
      return self(handle).source_.read(static_cast<char*>(into), size * count);
    } catch (...) {
      self(handle).thrown_ = std::current_exception();
      return 0;
    }
  }
  static int on_error_asked(void* handle) { return self(handle).thrown_ ? 1 : 0; }

  static SerdStatus on_error(void* handle, const SerdError* error) {
    TurtleReader& reader = self(handle);
    if (!reader.error_.empty()) return SERD_SUCCESS;
    char words[256];
    std::vsnprintf(words, sizeof words, error->fmt, *error->args);
    std::string text = words;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    reader.error_ = fmt::format("{}:{}:{}: {}", reader.source_.name(), error->line, error->col, text);
    return SERD_SUCCESS;
  }

  static SerdStatus on_base(void* handle, const SerdNode* uri) {
    return ::serd_env_set_base_uri(self(handle).env_.get(), uri);
  }

  static SerdStatus on_prefix(void* handle, const SerdNode* name, const SerdNode* uri) {
    TurtleReader& reader = self(handle);
    const SerdStatus status = ::serd_env_set_prefix(reader.env_.get(), name, uri);
    const OwnNode whole(::serd_env_expand_node(reader.env_.get(), uri));
    reader.prefixes_.declare(text_of(*name), whole.node().buf == nullptr ? text_of(*uri) : text_of(whole.node()));
    return status;
  }

  static SerdStatus on_statement(void* handle, SerdStatementFlags, const SerdNode*, const SerdNode* subject,
                                 const SerdNode* predicate, const SerdNode* object, const SerdNode*,
                                 const SerdNode* language) {
    try {
      return self(handle).take(*subject, *predicate, *object, language);
    } catch (...) {
      self(handle).thrown_ = std::current_exception();
      return SERD_ERR_INTERNAL;
    }
  }

  SerdStatus take(const SerdNode& subject, const SerdNode& predicate, const SerdNode& object,
                  const SerdNode* language) {
    const SerdNode* given[] = {&subject, &predicate, &object};
    const OwnNode nodes[] = {whole(subject), whole(predicate), whole(object)};
    RdfTerm terms[3];
    std::string labels[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const SerdNode& node = nodes[i].node();
      if (node.buf == nullptr) {
        const std::string_view name = text_of(*given[i]), prefix = name.substr(0, name.find(':') + 1);
        if (error_.empty())
          error_ = fmt::format("{}: the prefix of {} is not declared; a line \"@prefix {} <...> .\" before it does",
                               source_.name(), name, prefix);
        return SERD_ERR_BAD_CURIE;
      }
      const bool relative = node.type == SERD_URI && text_of(node).find(':') == std::string_view::npos;
      if (relative && error_.empty())
        error_ = fmt::format("{}: <{}> is relative, and no @base says to what", source_.name(), text_of(node));
      terms[i].kind = node.type == SERD_BLANK     ? RdfTerm::Kind::blank
                      : node.type == SERD_LITERAL ? RdfTerm::Kind::literal
                                                  : RdfTerm::Kind::iri;
      terms[i].text = text_of(node);
      if (node.type == SERD_BLANK) terms[i].text = labels[i] = label_of(text_of(node));
    }
    if (language != nullptr && language->buf != nullptr) terms[2].language = text_of(*language);
    RdfStatements(texts_, blank_scope_, statements_).add(terms[0], terms[1], terms[2]);
    return SERD_SUCCESS;
  }

  /// serd calls nodes without a label b1, b2, ..., and one that the file calls b1 it calls B1: back to the file's own.
  static std::string label_of(std::string_view label) {
    const bool numbered = label.size() > 1 && label[1] >= '0' && label[1] <= '9';
    if (numbered && label[0] == 'B') return fmt::format("b{}", label.substr(1));
    return numbered && label[0] == 'b' ? fmt::format("anonymous-{}", label.substr(1)) : std::string(label);
  }

  /// Absolute, and a copy in any case.
  OwnNode whole(const SerdNode& node) const {
    const bool named = node.type == SERD_URI || node.type == SERD_CURIE;
    if (!named) return OwnNode(::serd_node_copy(&node));
    const SerdNode expanded = ::serd_env_expand_node(env_.get(), &node);
    if (expanded.buf == nullptr && node.type == SERD_URI) return OwnNode(::serd_node_copy(&node));
    return OwnNode(expanded);
  }

  void hand_on() {
    gatherer_.add(statements_, source_.name(), split_);
    statements_ = Statements();
  }

  ByteSource& source_;
  const RdfTexts& texts_;
  std::string_view blank_scope_;
  Split split_;
  Prefixes& prefixes_;
  GraphGatherer& gatherer_;
  std::unique_ptr<SerdEnv, decltype(&::serd_env_free)> env_;
  std::unique_ptr<SerdReader, decltype(&::serd_reader_free)> reader_;
  Statements statements_;
  std::string error_;
  std::exception_ptr thrown_;
};

}  // namespace

bool reads_turtle() { return true; }

void read_turtle(ByteSource& source, bool trig, const RdfTexts& texts, std::string_view blank_scope, Split split,
                 Prefixes& prefixes, GraphGatherer& gatherer) {
  TurtleReader(source, trig, texts, blank_scope, split, prefixes, gatherer).read();
}

}  // namespace hasa

#else

namespace hasa {

bool reads_turtle() { return false; }

void read_turtle(ByteSource& source, bool, const RdfTexts&, std::string_view, Split, Prefixes&, GraphGatherer&) {
  fail(ErrorKind::unavailable,
       "{} is Turtle, which this program was built without\nserdi -o ntriples makes N-Triples of it, or build with "
       "libserd-dev installed",
       source.name());
}

}  // namespace hasa

#endif
