import KettleModel
import Testing

struct WordPatternTests {
  private func patterns(_ text: String) -> [WordPattern] { WordPattern.all(in: text) }

  private func passes(_ text: String, _ fields: String...) -> Bool {
    WordTest(patterns(text)).passes(fields)
  }

  @Test func `signs say where a word must occur`() {
    #expect(
      patterns("ISO 'iso ^iso iso$ ^iso$ !iso !^iso !iso$ !'iso")
        == [
          WordPattern("iso"), WordPattern("iso", .wholeWord), WordPattern("iso", .beginning),
          WordPattern("iso", .end), WordPattern("iso", .everything),
          WordPattern("iso", isExcluded: true), WordPattern("iso", .beginning, isExcluded: true),
          WordPattern("iso", .end, isExcluded: true),
          WordPattern("iso", .wholeWord, isExcluded: true),
        ])
  }

  @Test func `signs alone are not words yet, and quoted ones are text`() {
    #expect(patterns("! ^ $ ' !^ !' !$ ^$ \"\" !\"") == [])
    #expect(
      patterns("\"!a\" \"b$\" \"^c d\" !\"two words\" ^\"x y\"$ a!b^c'd$e")
        == [
          WordPattern("!a"), WordPattern("b$"), WordPattern("^c d"),
          WordPattern("two words", isExcluded: true), WordPattern("x y", .everything),
          WordPattern("a!b^c'd$e"),
        ])
    // The user is still typing.
    #expect(patterns("\"a$") == [WordPattern("a$")])
  }

  @Test func `a word occurs in one of the fields, and an excluded one in none`() {
    #expect(passes("debian /pool", "Debian-12.iso", "https://example.org/pool/x"))
    #expect(!passes("debian rpm", "Debian-12.iso", "https://example.org/pool/x"))
    #expect(passes("debian !rpm", "Debian-12.iso"))
    #expect(!passes("!pool", "Debian-12.iso", "https://example.org/pool/x"))
    #expect(passes("!", "anything"))
  }

  @Test func `beginnings and ends are those of a field`() {
    #expect(passes("^debian iso$", "Debian-12.iso", "https://example.org/x?y"))
    #expect(!passes("^12", "Debian-12.iso") && !passes("debian$", "Debian-12.iso"))
    #expect(passes("^https x?y$", "Debian-12.iso", "https://example.org/x?y"))
    #expect(passes("^debian-12.iso$", "Debian-12.iso") && !passes("^debian$", "Debian-12.iso"))
    #expect(!passes("!^debian", "Debian-12.iso") && passes("!^iso", "Debian-12.iso"))
    #expect(passes("^ä", "Ärger.bin") && passes("ü$", "Menü"))
  }

  @Test func `a whole word is not continued by a letter or a digit`() {
    #expect(passes("'iso", "debian.iso") && passes("'iso", "the_iso_file"))
    #expect(!passes("'iso", "isolate") && !passes("'12", "123") && !passes("'an", "debian iso"))
    #expect(passes("'iso", "isolate iso"), "a later occurrence counts")
    #expect(passes("'.iso", "debian.iso") && passes("'a-a", "xa-a-a"))
    #expect(!passes("'rger", "Ärger") && passes("'ärger", "mit Ärger!"))
    #expect(passes("!'iso", "isolate"))
  }
}
