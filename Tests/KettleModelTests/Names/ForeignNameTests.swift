import Foundation
import Testing

@testable import KettleModel

/// Whose a name is, and what follows from that.
struct ForeignNameTests {
  // Fault 151
  @Test(arguments: [".bash_aliases", "-rf", "~x", "con", "a\u{202E}gpj.exe", "a:b"])
  func `what the user has typed is taken as it is, and nothing else`(text: String) throws {
    let typed = try FileName(typed: text)
    #expect(typed.text == text)
    #expect(typed.origin == .user)
    let foreign = try #require(FileName(foreign: text))
    #expect(foreign.text != text)
    #expect(foreign.origin == .foreign)
    #expect(FileName(foreign: foreign.text) == foreign)
  }

  @Test(arguments: ["a/b", "", "..", "a\nb", String(repeating: "n", count: 251)])
  func `what cannot be a name is refused from the user`(text: String) {
    #expect(throws: FileNameProblem.self) { try FileName(typed: text) }
  }

  @Test func `a record keeps whose name it is`() throws {
    let typed = try FileName(typed: ".profile")
    let foreign = try #require(FileName(foreign: ".profile"))
    #expect(FileName(recorded: typed.text, .user) == typed)
    #expect(FileName(recorded: foreign.text, .foreign) == foreign)
    // Nobody but the user may have chosen it.
    #expect(FileName(recorded: ".profile", .foreign) == foreign)
  }

  @Test func `a message keeps whose name it is`() throws {
    let typed = try FileName(typed: ".profile")
    let foreign = try #require(FileName(foreign: ".profile"))
    let text = String(decoding: try JSONEncoder().encode([typed, foreign]), as: UTF8.self)
    #expect(text == #"[".profile",{"foreign":"_profile"}]"#)
    #expect(try JSONDecoder().decode([FileName].self, from: Data(text.utf8)) == [typed, foreign])
  }

  @Test func `a foreign name in a message is made harmless, and an invalid one is refused`() throws
  {
    func decoded(_ text: String) throws -> FileName {
      try JSONDecoder().decode(FileName.self, from: Data(text.utf8))
    }
    #expect(try decoded(#"{"foreign":"../.profile"}"#).text == "_profile")
    #expect(throws: DecodingError.self) { try decoded(#"{"foreign":".."}"#) }
    #expect(throws: DecodingError.self) { try decoded(#""a/b""#) }
  }
}
