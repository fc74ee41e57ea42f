import CKettleNcurses
import KettleDashboard
import KettleModel
import Testing

@testable import KettleTerminal

private let start = MonotonicTime(milliseconds: 1000)

extension InputDecoder {
  fileprivate mutating func decode(_ text: String, after milliseconds: Int64 = 0) -> [Piece] {
    decode(
      text.unicodeScalars.map { .scalar($0) }, at: start.advanced(byMilliseconds: milliseconds))
  }

  fileprivate mutating func end(after milliseconds: Int64) -> [Piece] {
    endIfLate(at: start.advanced(byMilliseconds: milliseconds))
  }
}

struct InputDecoderTests {
  @Test(
    arguments: [
      ("j", .character("j")), ("文", .character("文")), ("\r", .enter), ("\t", .tab),
      ("\u{7F}", .backspace), ("\u{8}", .backspace), ("\u{1A}", .control("z")),
      ("\u{C}", .control("l")), ("\n", .control("j")), ("\u{1B}", .escape), ("\u{0}", .unknown),
      ("\u{85}", .unknown),
    ] as [(String, Key)])
  func `a character is a key`(text: String, key: Key) {
    var decoder = InputDecoder()
    #expect(decoder.decode(text) == [.key(key)])
  }

  @Test(
    arguments: [
      (KEY_UP, .up), (KEY_NPAGE, .pageDown), (KEY_DC, .delete), (KEY_BTAB, .backTab),
      (KEY_HOME, .home),
      (kettle_key_f(1), .function(1)), (kettle_key_f(12), .function(12)), (KEY_MOUSE, .unknown),
    ] as [(Int32, Key)])
  func `an ncurses key code is decoded as its key`(code: Int32, key: Key) {
    var decoder = InputDecoder()
    #expect(decoder.decode([.key(code)], at: start) == [.key(key)])
  }

  @Test(arguments: ["P", "X", "]", "^", "_"] as [Character])
  func `Alt with a letter that could start a control string is an Alt key`(
    letter: Character
  ) {
    var decoder = InputDecoder()
    #expect(decoder.decode("\u{1B}\(letter)").isEmpty)
    #expect(decoder.end(after: 2).isEmpty)
    #expect(decoder.end(after: 100) == [.key(.alt(letter))])
    #expect(decoder.decode("q", after: 101) == [.key(.character("q"))])
  }

  @Test func `a character after an escape is an Alt key`() {
    var decoder = InputDecoder()
    #expect(decoder.decode("\u{1B}x") == [.key(.alt("x"))])
    #expect(decoder.decode("\u{1B}<") == [.key(.alt("<"))])
    #expect(decoder.decode("\u{1B}") == [.key(.escape)])
    #expect(decoder.decode("x") == [.key(.character("x"))])
    #expect(decoder.decode("\u{1B}\u{1B}") == [.key(.escape), .key(.escape)])
    #expect(decoder.decode("\u{1B}\r") == [.key(.unknown)])
  }

  @Test(
    arguments: [
      ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[1~", .home), ("\u{1B}[4~", .end),
      ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown), ("\u{1B}[3~", .delete),
      ("\u{1B}OP", .function(1)), ("\u{1B}[15~", .function(5)), ("\u{1B}[17~", .function(6)),
      ("\u{1B}[21~", .function(10)), ("\u{1B}[24~", .function(12)), ("\u{1B}[1;1A", .up),
      ("\u{1B}[1;5A", .unknown), ("\u{1B}[27;5;113~", .unknown), ("\u{1B}[99~", .unknown),
      ("\u{1B}[Z", .backTab), ("\u{1B}Oz", .unknown),
    ] as [(String, Key)])
  func `an unknown sequence is decoded as one key`(
    text: String, key: Key
  ) {
    var decoder = InputDecoder()
    #expect(decoder.decode(text) == [.key(key)])
    #expect(decoder.millisecondsLeft(at: start) == nil)
  }

  @Test func `replies of the terminal are not keys, even late ones`() {
    var decoder = InputDecoder()
    #expect(
      decoder.decode("\u{1B}]11;rgb:ffff/8080/0000\u{1B}\\q")
        == [.background(RGB(0xFF8000)), .key(.character("q"))])
    #expect(decoder.decode("\u{1B}]11;rgb:1e/1e/1e\u{7}") == [.background(RGB(0x1E1E1E))])
    #expect(decoder.decode("\u{1B}[?62;4c") == [.identity])
    #expect(decoder.decode("\u{1B}[>1;95;0c") == [.identity])
    #expect(decoder.decode("\u{1B}P1$r0m\u{1B}\\\u{1B}[I\u{1B}_Gi=1;OK\u{1B}\\") == [])
    #expect(decoder.decode("\u{1B}]11;rgb:no/such/color\u{7}") == [])
  }

  @Test func `a sequence in pieces is joined, and one without an end is dropped`() {
    var decoder = InputDecoder()
    #expect(decoder.decode("\u{1B}[1") == [])
    #expect(decoder.millisecondsLeft(at: start) == 50)
    #expect(decoder.end(after: 49) == [])
    #expect(decoder.decode("5~", after: 49) == [.key(.function(5))])
    #expect(decoder.decode("\u{1B}[1", after: 60) == [])
    #expect(decoder.end(after: 110) == [.key(.unknown)])
    #expect(decoder.decode("5", after: 120) == [.key(.character("5"))])
    #expect(decoder.decode("\u{1B}[", after: 130) == [])
    #expect(decoder.end(after: 200) == [.key(.alt("["))])
    #expect(decoder.decode("\u{1B}O", after: 200) == [])
    #expect(decoder.end(after: 250) == [.key(.alt("O"))])
    #expect(decoder.decode("\u{1B}]0;never ended", after: 260) == [])
    #expect(decoder.end(after: 2260) == [])
    #expect(decoder.decode("q", after: 2270) == [.key(.character("q"))])
  }
}

struct PasteDecodingTests {
  @Test func `a bracketed paste over several reads is one key`() {
    var decoder = InputDecoder()
    #expect(decoder.decode("\u{1B}[200~htt") == [])
    #expect(decoder.millisecondsLeft(at: start) == 2000)
    #expect(decoder.decode("p://a\r\nb\rc\nq") == [])
    #expect(decoder.decode([.key(KEY_UP)], at: start) == [])
    #expect(
      decoder.decode("\u{1B}[201~s")
        == [.key(.paste("http://a\nb\nc\nq")), .key(.character("s"))])
    #expect(decoder.millisecondsLeft(at: start) == nil)
  }

  @Test func `the end marker may arrive in pieces`() {
    let text = "\u{1B}[200~q\u{1B}[201~x"
    for cut in 0...text.unicodeScalars.count {
      // ncurses holds back a piece that ends with Esc until more input arrives.
      let pieces = [text.unicodeScalars.prefix(cut), text.unicodeScalars.dropFirst(cut)]
      guard !pieces.contains(where: { $0.last == "\u{1B}" }) else { continue }
      var decoder = InputDecoder()
      let keys = pieces.flatMap { decoder.decode(String(String.UnicodeScalarView($0))) }
      #expect(keys == [.key(.paste("q")), .key(.character("x"))], "cut at \(cut)")
    }
  }

  @Test func `escapes within a paste stay text`() {
    var decoder = InputDecoder()
    #expect(
      decoder.decode("\u{1B}[200~a\u{1B}[31mb\u{1B}]0;t\u{7}\u{1B}\u{1B}[201~")
        == [.key(.paste("a\u{1B}[31mb\u{1B}]0;t\u{7}\u{1B}"))])
  }

  @Test func `a paste without an end marker ends after a timeout`() {
    var decoder = InputDecoder()
    _ = decoder.decode("\u{1B}[200~ab")
    #expect(decoder.end(after: 1500) == [])
    _ = decoder.decode("c", after: 1500)
    #expect(decoder.end(after: 3499) == [])
    #expect(decoder.end(after: 3500) == [.key(.paste("abc"))])
    #expect(decoder.end(after: 9000) == [])
  }

  @Test func `a paste that is too long is discarded`() {
    var decoder = InputDecoder()
    _ = decoder.decode("\u{1B}[200~")
    let block = String(repeating: "x", count: 250_000)
    for _ in 0..<4 { #expect(decoder.decode(block) == []) }
    #expect(decoder.decode("y\u{1B}[201~q") == [.pasteRefused, .key(.character("q"))])
    _ = decoder.decode("\u{1B}[200~")
    for _ in 0..<3 { #expect(decoder.decode(block) == []) }
    let keys = decoder.decode(block + "\u{1B}[201~")
    #expect(keys.count == 1)
    #expect(keys.first != .pasteRefused)
  }

  @Test func `a URL that arrives at once is a paste, even without brackets`() {
    var decoder = InputDecoder()
    #expect(
      decoder.decode("https://example.org/x\r") == [.key(.paste("https://example.org/x\n"))])
    #expect(decoder.decode("jjjjjjjjjjjj").count == 12)
    #expect(decoder.decode("sp") == [.key(.character("s")), .key(.character("p"))])
  }
}

struct PointerDecodingTests {
  @Test(
    arguments: [
      ("\u{1B}[<0;1;1M", .left, 0, 0), ("\u{1B}[<0;300;90M", .left, 89, 299),
      ("\u{1B}[<64;10;5M", .wheelUp, 4, 9), ("\u{1B}[<65;10;5M", .wheelDown, 4, 9),
      ("\u{1B}[M !!", .left, 0, 0), ("\u{1B}[M`*%", .wheelUp, 4, 9),
    ] as [(String, PointerPress.Button, Int, Int)])
  func `a press reports its position relative to the top-left cell`(
    text: String, button: PointerPress.Button, row: Int, column: Int
  ) {
    var decoder = InputDecoder()
    let pieces = decoder.decode(text)
    guard case .pointer(let press) = pieces.first, pieces.count == 1 else {
      Issue.record("No press: \(pieces)")
      return
    }
    #expect(press.button == button)
    #expect(press.row == row)
    #expect(press.column == column)
  }

  @Test(
    arguments: [
      "\u{1B}[<0;1;1m", "\u{1B}[<1;1;1M", "\u{1B}[<2;1;1M", "\u{1B}[<32;1;1M", "\u{1B}[<16;1;1M",
      "\u{1B}[<0;-9223372036854775808;1M", "\u{1B}[<0;1;-9223372036854775808M",
      "\u{1B}[<0;0;1M", "\u{1B}[<0;1M", "\u{1B}[<0;1;99999999999999999999M", "\u{1B}[<;;M",
      "\u{1B}[<0;1;1;1M", "\u{1B}[M#!!",
    ])
  func `releases, other buttons and invalid reports are ignored`(text: String) {
    var decoder = InputDecoder()
    #expect(decoder.decode(text + "q") == [.key(.character("q"))])
  }

  @Test func `two quick presses at one position are a click and a double click`() {
    func kinds(_ presses: [(Int64, Int, Int)]) -> [MouseEvent.Kind] {
      var timer = ClickTimer()
      var decoder = InputDecoder()
      return presses.flatMap { at, row, column in
        decoder.decode("\u{1B}[<0;\(column + 1);\(row + 1)M").compactMap { piece in
          guard case .pointer(let press) = piece else { return nil }
          return timer.event(press, at: start.advanced(byMilliseconds: at)).kind
        }
      }
    }
    #expect(kinds([(0, 3, 3), (400, 3, 4)]) == [.click, .doubleClick])
    #expect(kinds([(0, 3, 3), (401, 3, 3)]) == [.click, .click])
    #expect(kinds([(0, 3, 3), (100, 4, 3)]) == [.click, .click])
    #expect(kinds([(0, 3, 3), (100, 3, 5)]) == [.click, .click])
    #expect(
      kinds([(0, 3, 3), (100, 3, 3), (200, 3, 3), (300, 3, 3)])
        == [.click, .doubleClick, .click, .doubleClick])
  }
}
