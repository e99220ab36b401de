#include "hasa/kg/read/iri_names.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(IriNames, AreShortenedByTheirPrefix) {
  Prefixes prefixes;
  EXPECT_EQ(prefixes.shortened("http://www.wikidata.org/entity/Q42"), "wd:Q42");
  EXPECT_EQ(prefixes.shortened("http://example.org/a#b"), "b");
  prefixes.declare("ex", "http://example.org/a#");
  EXPECT_EQ(prefixes.shortened("http://example.org/a#b"), "ex:b");
  // Nothing is left of these, or they are no paths.
  for (const char* iri : {"http://example.org/", "urn:isbn:1", "dog", ""}) EXPECT_EQ(prefixes.shortened(iri), "");
}

TEST(IriNames, WrapIdsThatAreNoIrisAndGiveThemBack) {
  EXPECT_EQ(iri_of_id("http://a/b%20c"), "http://a/b%20c");
  EXPECT_EQ(iri_of_id("plus 1"), "urn:hasa:plus%201");
  for (const char* id : {"plus 1", "a%20b", "urn:hasa:x", "<>", "\xC3\xA9", "\x01", "http://a/b", "1"}) {
    EXPECT_TRUE(is_iri(iri_of_id(id))) << id;
    EXPECT_EQ(id_of_iri(iri_of_id(id)), id);
  }
  EXPECT_EQ(id_of_iri("urn:hasa:"), "urn:hasa:");        // no id is empty
  EXPECT_EQ(id_of_iri("urn:hasa:%C3"), "urn:hasa:%C3");  // nor half a character
}

TEST(IriNames, KnowBlankNodes) {
  for (const char* id : {"_:b0", "_:a.b", "_:\xC3\xA9"}) EXPECT_TRUE(is_blank_node(id)) << id;
  for (const char* id : {"_:", "_:a.", "_:-a", "_:a b", "b0"}) EXPECT_FALSE(is_blank_node(id)) << id;
}

}  // namespace
}  // namespace hasa
