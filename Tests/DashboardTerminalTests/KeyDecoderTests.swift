import CNcurses
import DashboardUI
import Testing

@testable import DashboardTerminal

struct KeyDecoderTests {
  private func codes(_ text: String) -> [KeyDecoder.Code] {
    text.unicodeScalars.map { .scalar($0) }
  }

  @Test(
    arguments: [
      ("j", .character("j")), ("文", .character("文")), ("\r", .enter), ("\t", .tab),
      ("\u{7F}", .backspace), ("\u{8}", .backspace), ("\u{1A}", .control("z")),
      ("\u{C}", .control("l")), ("\n", .control("j")), ("\u{1B}", .escape), ("\u{0}", .unknown),
      ("\u{85}", .unknown),
    ] as [(String, Key)])
  func `a character is a key`(text: String, key: Key) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(codes(text)) == [key])
  }

  @Test(
    arguments: [
      (KEY_UP, .up), (KEY_NPAGE, .pageDown), (KEY_DC, .delete), (KEY_BTAB, .backTab),
      (KEY_HOME, .home),
      (kettle_key_f(1), .function(1)), (kettle_key_f(12), .function(12)), (KEY_MOUSE, .unknown),
    ] as [(Int32, Key)])
  func `a code of ncurses is a key`(code: Int32, key: Key) {
    var decoder = KeyDecoder()
    #expect(decoder.decode([.key(code)]) == [key])
  }

  @Test func `what comes with an escape comes with Alt`() {
    var decoder = KeyDecoder()
    #expect(decoder.decode(codes("\u{1B}x")) == [.alt("x")])
    #expect(decoder.decode(codes("\u{1B}")) == [.escape])
    #expect(decoder.decode(codes("x")) == [.character("x")])
    #expect(decoder.decode(codes("\u{1B}\u{1B}")) == [.escape, .escape])
  }

  @Test func `a bracketed paste is one key, over several reads`() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([.key(KeyDecoder.pasteStart)] + codes("htt")) == [])
    #expect(decoder.isCollecting)
    #expect(decoder.decode(codes("p://a\r\nb\rc\nq") + [.key(KEY_UP)]) == [])
    #expect(
      decoder.decode([.key(KeyDecoder.pasteEnd)] + codes("s"))
        == [.paste("http://a\nb\nc\nq"), .character("s")])
    #expect(!decoder.isCollecting)
  }

  @Test func `a paste whose end never comes ends all the same`() {
    var decoder = KeyDecoder()
    _ = decoder.decode([.key(KeyDecoder.pasteStart)] + codes("abc"))
    #expect(decoder.flush() == [.paste("abc")])
    #expect(decoder.flush() == [])
  }

  @Test func `a URL that arrives at once was pasted, also without brackets`() {
    var decoder = KeyDecoder()
    #expect(
      decoder.decode(codes("https://example.org/x\r")) == [.paste("https://example.org/x\n")])
    #expect(decoder.decode(codes("jjjjjjjjjjjj")).count == 12)
    #expect(decoder.decode(codes("sp")) == [.character("s"), .character("p")])
  }
}
