#include "hasa/base/config.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;

enum class Colour { red, dark_blue };
EnumNames<Colour> names_of(Colour) { return {{Colour::red, "red"}, {Colour::dark_blue, "dark-blue"}}; }

struct Inner {
  double rate = 0.5;
  std::int32_t steps = 3;
  template <class Visitor>
  static void fields(Visitor& field) {
    field("rate", &Inner::rate, "how fast", Range{0, 1});
    field("steps", &Inner::steps, "how many", Range{1, 1e9});
  }
};

struct Circle {
  static constexpr const char* kTag = "circle";
  double radius = 1;
  template <class Visitor>
  static void fields(Visitor& field) {
    field("radius", &Circle::radius, "of the circle");
  }
};
struct Square {
  static constexpr const char* kTag = "square";
  double side = 2;
  template <class Visitor>
  static void fields(Visitor& field) {
    field("side", &Square::side, "of the square");
  }
};

struct Base {
  std::string name = "plain";
  template <class Visitor>
  static void fields(Visitor& field) {
    field("name", &Base::name, "what it is called");
  }
};

struct Options : Base {
  bool loud = false;
  Colour colour = Colour::red;
  Inner inner;
  std::variant<Circle, Square> shape;
  template <class Visitor>
  static void fields(Visitor& field) {
    Base::fields(field);
    field("loud", &Options::loud, "whether to shout");
    field("colour", &Options::colour, "of the bar, as in <b>");
    field("inner", &Options::inner, "what is inside");
    field("shape", &Options::shape, "its outline");
  }
};

Options from_yaml(const std::string& yaml) {
  Options options;
  apply_yaml(fields_of(options), yaml, "config.yaml");
  return options;
}

Options after(std::initializer_list<const char*> assignments) {
  Options options;
  for (const char* each : assignments) apply_assignment(fields_of(options), each);
  return options;
}

TEST(Config, ReadsEveryKindOfOptionFromYaml) {
  const Options options = from_yaml(
      "name: a thing\nloud: yes\ncolour: dark-blue\ninner:\n  rate: 1e-3\n  steps: 12\nshape:\n  type: square\n  side: "
      "7\n");
  EXPECT_EQ(options.name, "a thing");
  EXPECT_TRUE(options.loud);
  EXPECT_EQ(options.colour, Colour::dark_blue);
  EXPECT_EQ(options.inner.rate, 0.001);
  EXPECT_EQ(options.inner.steps, 12);
  EXPECT_EQ(std::get<Square>(options.shape).side, 7);
}

TEST(Config, KeepsDefaultsOfOptionsNotSet) {
  for (const char* yaml : {"", "# only a remark\n", "inner:\n  steps: 3\n"}) {
    const Options options = from_yaml(yaml);
    EXPECT_EQ(options.name, "plain");
    EXPECT_EQ(options.inner.rate, 0.5);
    EXPECT_EQ(std::get<Circle>(options.shape).radius, 1);
  }
}

TEST(Config, ReadsBackWhatItWrites) {
  for (const char* name : {"", "null", "~", "true", "12", "a: b", "# no remark", "{name}: {description}", "two\nlines",
                           " spaces ", "it's \"so\"", "naïve \u2603", "- item", "*star", "back\\slash", "tab\there"}) {
    Options options;
    options.name = name;
    options.inner.rate = 0.1 + 0.2;
    options.colour = Colour::dark_blue;
    options.shape = Square{1.0 / 3};
    const Options back = from_yaml(to_yaml(fields_of(options)));
    EXPECT_EQ(back.name, name);
    EXPECT_EQ(back.inner.rate, 0.1 + 0.2);
    EXPECT_EQ(back.colour, Colour::dark_blue);
    EXPECT_EQ(std::get<Square>(back.shape).side, 1.0 / 3);
  }
}

TEST(Config, SetsSingleOptions) {
  const Options options = after({"inner.rate=0.25", "shape.type=square", "shape.side=9", "name=a=b", "loud=on"});
  EXPECT_EQ(options.inner.rate, 0.25);
  EXPECT_EQ(std::get<Square>(options.shape).side, 9);
  EXPECT_EQ(options.name, "a=b");
  EXPECT_TRUE(options.loud);
}

TEST(Config, KeepsAFamilysOptionsWhenItsTypeIsChosenAgain) {
  EXPECT_EQ(std::get<Square>(after({"shape.type=square", "shape.side=9", "shape.type=square"}).shape).side, 9);
  EXPECT_EQ(std::get<Circle>(after({"shape.radius=4", "shape.type=circle"}).shape).radius, 4);
}

struct Animal {
  std::int32_t legs;
  template <class Visitor>
  static void fields(Visitor& field) {
    field("legs", &Animal::legs, "to walk on");
  }
};
struct Cat : Animal {
  static constexpr const char* kTag = "cat";
  Cat() : Animal{4} {}
};
struct Bird : Animal {
  static constexpr const char* kTag = "bird";
  std::int32_t eggs = 3;
  Bird() : Animal{2} {}
  template <class Visitor>
  static void fields(Visitor& field) {
    Animal::fields(field);
    field("eggs", &Bird::eggs, "to hatch");
  }
};
struct Pet {
  std::variant<Cat, Bird> animal;
  template <class Visitor>
  static void fields(Visitor& field) {
    field("animal", &Pet::animal, "what it is");
  }
};

TEST(Config, KeepsWhatWasSetForAnotherTypeWhereTheNewOneHasIt) {
  Pet pet;
  apply_yaml(fields_of(pet), "animal:\n  type: cat\n  legs: 3\n", "config.yaml");
  apply_assignment(fields_of(pet), "animal.type=bird");
  EXPECT_EQ(std::get<Bird>(pet.animal).legs, 3);
  EXPECT_EQ(std::get<Bird>(pet.animal).eggs, 3);
  // What nobody set, or only to what it was, is the new type's own.
  Pet other;
  apply_assignment(fields_of(other), "animal.type=bird");
  EXPECT_EQ(std::get<Bird>(other.animal).legs, 2);
}

TEST(Config, NamesTheLineAndTheNearestOptionForAnUnknownOne) {
  EXPECT_ERROR(from_yaml("name: x\ninner:\n  rat: 1\n"),
               "unknown option inner.rat (config.yaml:3); did you mean inner.rate?");
  EXPECT_ERROR(from_yaml("nonsense: 1\n"),
               "unknown option nonsense (config.yaml:1); expected one of name, loud, colour");
  EXPECT_ERROR(after({"inner.rat=1"}), "unknown option inner.rat; did you mean inner.rate?");
}

TEST(Config, SuggestsTheSectionThatWasForgotten) {
  EXPECT_ERROR(after({"rate=1"}), "unknown option rate; did you mean inner.rate?");
  EXPECT_ERROR(after({"step=1"}), "unknown option step; did you mean inner.steps?");
  EXPECT_ERROR(from_yaml("radius: 2\n"), "unknown option radius (config.yaml:1); did you mean shape.radius?");
}

TEST(Config, DoesNotTakeAnOptionOfAnotherMemberOfTheFamily) {
  EXPECT_ERROR(from_yaml("shape:\n  type: circle\n  side: 3\n"),
               "unknown option shape.side (config.yaml:3): shape.type is circle, and only shape.type=square has it");
  EXPECT_ERROR(after({"shape.side=3"}), "only shape.type=square has it\nset shape.type first");
  EXPECT_ERROR(after({"shape.sied=3"}), "unknown option shape.sied; expected one of shape.radius");
}

TEST(Config, DoesNotTakeATypeWhereThereIsNothingToChoose) {
  EXPECT_ERROR(from_yaml("inner:\n  type: circle\n"), "unknown option inner.type (config.yaml:2)");
  EXPECT_ERROR(from_yaml("type: circle\n"), "unknown option type (config.yaml:1)");
  EXPECT_ERROR(after({"inner.type=circle"}), "unknown option inner.type");
}

TEST(Config, PassesOverUnknownOptionsOnRequest) {
  Options options;
  apply_yaml(fields_of(options), "later: {x: 1}\ninner:\n  other: 2\n  steps: 8\n", "config.yaml",
             UnknownOptions::pass_over);
  EXPECT_EQ(options.inner.steps, 8);
}

TEST(Config, SaysWhatWasExpectedOfAValue) {
  EXPECT_ERROR(from_yaml("inner:\n  rate: fast\n"), "option inner.rate (config.yaml:2) is \"fast\", expected a number");
  EXPECT_ERROR(from_yaml("inner:\n  rate: nan\n"), "expected a number");
  EXPECT_ERROR(from_yaml("inner:\n  steps: 2.5\n"), "expected an integer");
  EXPECT_ERROR(from_yaml("loud: maybe\n"), "expected yes or no");
  EXPECT_ERROR(from_yaml("colour: green\n"), "option colour (config.yaml:1) is \"green\", expected red | dark-blue");
  EXPECT_ERROR(from_yaml("shape:\n  type: squre\n"), "expected circle | square; did you mean square?");
  EXPECT_ERROR(from_yaml("shape:\n  radius: 1\n  type: triangle\n"),
               "option shape.type (config.yaml:3) is \"triangle\"");
  EXPECT_ERROR(after({"inner.steps=99999999999"}), "expected an integer that fits");
  EXPECT_ERROR(from_yaml("inner:\n  rate:\n"), "option inner.rate (config.yaml:2) has no value, expected number");
}

TEST(Config, RefusesAValueOutsideItsRangeAndKeepsTheOld) {
  Options options;
  EXPECT_ERROR(apply_assignment(fields_of(options), "inner.rate=1.5"),
               "option inner.rate is 1.5, expected a value from 0 to 1");
  EXPECT_EQ(options.inner.rate, 0.5);
  apply_assignment(fields_of(options), "inner.rate=1");
  EXPECT_EQ(options.inner.rate, 1);
  EXPECT_ERROR(apply_assignment(fields_of(options), "inner.steps=0"), "expected a value from 1 to 1000000000");
}

TEST(Config, TellsSectionsFromOptions) {
  EXPECT_ERROR(from_yaml("inner: 3\n"), "option inner (config.yaml:1) is a section");
  EXPECT_ERROR(from_yaml("name:\n  part: 3\n"), "has parts of its own, expected text");
  EXPECT_ERROR(from_yaml("name: {chioces: [a, b]}\n"), "has parts of its own, expected text; did you mean choices?");
  EXPECT_ERROR(after({"inner=3"}), "option inner is a section: set one of its options, such as inner.rate");
  EXPECT_ERROR(after({"name.first=3"}), "option name has no parts, it is text");
  EXPECT_ERROR(after({"loud"}), "--set loud: expected name=value");
  EXPECT_ERROR(after({"=3"}), "expected name=value");
}

TEST(Config, NamesTheLineThatIsNotYaml) {
  EXPECT_ERROR(from_yaml("name: x\ninner: [\n"), "config.yaml:");
  EXPECT_ERROR(from_yaml("- a\n- b\n"), "config.yaml: expected options as \"name: value\" lines");
  EXPECT_ERROR(from_yaml("shape:\n  type: [a]\n"), "config.yaml:");
}

TEST(Config, RefusesANameThatStandsTwice) {
  EXPECT_ERROR(from_yaml("name: x\nloud: yes\nname: y\n"), "config.yaml:3: name is given twice, first in line 1");
  EXPECT_ERROR(from_yaml("inner:\n  rate: 0.1\n  steps: 2\n  rate: 0.2\n"),
               "config.yaml:4: inner.rate is given twice, first in line 2\nleave one of them out");
  EXPECT_ERROR(from_yaml("inner:\n  rate: 0.1\nname: x\ninner:\n  steps: 2\n"),
               "config.yaml:4: inner is given twice, first in line 1");
}

TEST(Config, RefusesASecondDocument) {
  EXPECT_ERROR(from_yaml("name: x\n---\nname: y\n"), "config.yaml:3: there are 2 documents, parted by ---");
  EXPECT_ERROR(from_yaml("name: x\n---\n"), "config.yaml: there are 2 documents");
  EXPECT_EQ(from_yaml("---\nname: x\n...\n").name, "x");
}

TEST(Config, NamesTheCommandThatTriesMarkedValues) {
  EXPECT_ERROR(from_yaml("name: x\ninner:\n  rate: {range: [0.1, 0.5]}\n"),
               "option inner.rate (config.yaml:3) is marked to be tuned, expected number\nhasa search tries");
}

TEST(Config, MistakesAreOfKindConfig) {
  for (const char* yaml : {"nonsense: 1", "loud: maybe", "inner: [", "[]: 1"}) {
    try {
      from_yaml(yaml);
      ADD_FAILURE() << yaml;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config) << yaml;
    }
  }
}

TEST(Config, HelpShowsEveryOptionWithItsDefaultRangeAndMeaning) {
  Options options;
  const std::string help = to_help(fields_of(options));
  EXPECT_THAT(help, HasSubstr("  name=plain  (text)\n      what it is called\n"));
  EXPECT_THAT(help, HasSubstr("\ninner: what is inside\n  inner.rate=0.5  (number, from 0 to 1)\n      how fast\n"));
  EXPECT_THAT(help, HasSubstr("  colour=red  (red | dark-blue)\n"));
}

TEST(Config, HelpShowsTheOptionsOfEveryMemberOfAFamily) {
  Options options;
  EXPECT_THAT(to_help(fields_of(options)),
              HasSubstr("\nshape: its outline\n  shape.type=circle  (circle | square)\n"
                        "  with shape.type=circle:\n    shape.radius=1  (number)\n        of the circle\n"
                        "  with shape.type=square:\n    shape.side=2  (number)\n        of the square\n"));
  options.shape = Square{7};
  EXPECT_THAT(to_help(fields_of(options)), HasSubstr("shape.side=7"));
  EXPECT_EQ(std::get<Square>(options.shape).side, 7);
}

TEST(Config, ListsOptionsOutsideSectionsFirst) {
  Options options;
  const std::string help = to_help(fields_of(options));
  EXPECT_LT(help.find("colour="), help.find("inner:"));
}

TEST(Config, MarkdownHasATableForEachSectionAndEachMemberOfAFamily) {
  Options options;
  const std::string page = to_markdown(fields_of(options)),
                    table = "| option | default | values | meaning |\n|---|---|---|---|\n";
  EXPECT_TRUE(page.starts_with(table + "| `name` | `plain` | text | what it is called |\n"));
  EXPECT_THAT(page, HasSubstr("\n## inner\nwhat is inside\n\n" + table +
                              "| `inner.rate` | `0.5` | number from 0 to 1 | how fast |\n"));
  EXPECT_THAT(page, HasSubstr("\n## shape\nits outline\n\n`shape.type` is circle | square; without it, circle.\n"));
  EXPECT_THAT(
      page, HasSubstr("\n### shape.type: circle\n\n" + table + "| `shape.radius` | `1` | number | of the circle |\n"));
  EXPECT_THAT(page,
              HasSubstr("\n### shape.type: square\n\n" + table + "| `shape.side` | `2` | number | of the square |\n"));
}

TEST(Config, MarkdownEscapesWhatATableWouldTakeForItsOwn) {
  Options options;
  EXPECT_THAT(to_markdown(fields_of(options)),
              HasSubstr("| `colour` | `red` | red \\| dark-blue | of the bar, as in &lt;b> |\n"));
}

struct ListedConfig {
  std::vector<std::string> parts;
  template <class Visitor>
  static void fields(Visitor& field) {
    field("parts", &ListedConfig::parts, "what it is made of");
  }
};

TEST(ConfigList, IsASequenceInYamlAndCommasForSet) {
  ListedConfig config;
  apply_yaml(fields_of(config), "parts:\n  - a b\n  - 'c: d'\n", "c.yaml");
  EXPECT_EQ(config.parts, (std::vector<std::string>{"a b", "c: d"}));
  apply_assignment(fields_of(config), "parts=x, y z,w");
  EXPECT_EQ(config.parts, (std::vector<std::string>{"x", "y z", "w"}));
  apply_assignment(fields_of(config), "parts=");
  EXPECT_TRUE(config.parts.empty());
}

TEST(ConfigList, IsReadBackAsItWasWritten) {
  ListedConfig config{{"runs/a", "b: c", "# no comment", "d"}}, again;
  apply_yaml(fields_of(again), to_yaml(fields_of(config)), "c.yaml");
  EXPECT_EQ(again.parts, config.parts);
  ListedConfig empty;
  apply_yaml(fields_of(again), to_yaml(fields_of(empty)), "c.yaml");
  EXPECT_TRUE(again.parts.empty());
}

TEST(ConfigList, RefusesAnItemWithAComma) {
  ListedConfig config;
  EXPECT_ERROR(apply_yaml(fields_of(config), "parts: ['a,b']\n", "c.yaml"), "item 1 is no text without a comma");
}

}  // namespace
}  // namespace hasa
