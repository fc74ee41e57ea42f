import KettleModel
import Testing

@Suite struct FileNameProblemTests {
  @Test(arguments: [
    ("", FileNameProblem.empty), (".", .directoryReference), ("..", .directoryReference),
    ("a/b", .slash), ("/", .slash), ("../x", .slash), ("a\nb", .controlCharacter),
    ("a\u{0}", .controlCharacter), ("\u{1B}[2J", .controlCharacter), ("a\u{9B}", .controlCharacter),
    (String(repeating: "x", count: 251), .tooLong), (String(repeating: "日", count: 84), .tooLong),
  ])
  func `an invalid file name is refused`(_ name: String, _ problem: FileNameProblem) {
    #expect(FileName.problem(ofUserGiven: name) == problem)
  }

  @Test(arguments: [
    "a", "...", ".bashrc", "-rf", "a b", "a\\b", "日本語.zip", "👨‍👩‍👧.png",
    String(repeating: "x", count: 250),
  ])
  func `a valid file name is accepted`(_ name: String) {
    #expect(FileName.problem(ofUserGiven: name) == nil)
  }

  @Test func `each sentence states the problem, the name and the remedy`() {
    #expect(
      FileNameProblem.empty.sentence("")
        == "The name of the file is empty; give one such as file.iso")
    #expect(
      FileNameProblem.directoryReference.sentence("..")
        == "The name \"..\" means a directory; give the name of a file")
    #expect(
      FileNameProblem.slash.sentence("a/b")
        == "The name \"a/b\" has a \"/\" in it; "
        + "give the name alone and choose the directory with -d"
    )
    #expect(
      FileNameProblem.controlCharacter.sentence("a\u{1B}b")
        == "The name \"a\u{FFFD}b\" has a control character or line break in it; take it out")
    #expect(
      FileNameProblem.tooLong.sentence(String(repeating: "x", count: 300))
        == "The name \"\(String(repeating: "x", count: 80))…\" "
        + "is longer than 250 bytes; shorten it"
    )
  }
}
