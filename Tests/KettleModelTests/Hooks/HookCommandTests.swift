import Foundation
import Testing

@testable import KettleModel

struct HookCommandTests {
  private func problem(_ words: [String]) -> HookCommand.Problem? {
    switch HookCommand.make(words) {
    case .success: nil
    case .failure(let problem): problem
    }
  }

  @Test(arguments: [
    (#"unzip -o {path}"#, ["unzip", "-o", "{path}"]),
    (#"  a   b  "#, ["a", "b"]),
    (#"a 'b c' "d e" f\ g"#, ["a", "b c", "d e", "f g"]),
    (#"a '' "" b"#, ["a", "", "", "b"]),
    (#"a 'it'\''s' "say \"hi\" \\ \n""#, ["a", "it's", #"say "hi" \ \n"#]),
    (#"a '$(b)' `c` $D * | > &"#, ["a", "$(b)", "`c`", "$D", "*", "|", ">", "&"]),
    ("a\n'b\nc'", ["a", "b\nc"]),
    ("", []),
  ])
  func `text is split as a shell does, and nothing is expanded`(text: String, words: [String]) {
    #expect(HookCommand.words(in: text) == words)
  }

  @Test(arguments: ["a 'b", "a \"b", "a \\", "'"])
  func `a quote that is not closed is a problem`(text: String) {
    #expect(HookCommand.words(in: text) == nil)
  }

  @Test func `words that are not a command are refused`() {
    #expect(problem([]) == .empty)
    #expect(problem([""]) == .empty)
    #expect(problem(["a", "b\0c"]) == .notText)
    #expect(problem(["./a"]) == .relativeProgram)
    #expect(problem(["bin/a"]) == .relativeProgram)
    #expect(problem(Array(repeating: "a", count: 257)) == .tooLong)
    #expect(problem(["a", String(repeating: "b", count: 16 << 10)]) == .tooLong)
    for program in ["a", "/opt/a", "~/bin/a"] { #expect(problem([program]) == nil) }
  }

  @Test func `the text that a shell executes has no placeholder`() {
    #expect(problem(["sh", "-c", "rm {path}"]) == .placeholderForShell)
    #expect(problem(["/bin/bash", "-ec", "echo {title}"]) == .placeholderForShell)
    #expect(problem(["sh", "-e", "-c", "echo {title}"]) == .placeholderForShell)
    for words in [
      ["bash", "--norc", "-c", "{path}"], ["bash", "-c", "-e", "{path}"],
      ["bash", "-c", "--", "{path}"], ["bash", "-c", "+e", "a {path}"],
      ["bash", "-o", "pipefail", "-c", "{path}"], ["bash", "-c", "-o", "pipefail", "{path}"],
      ["bash", "-ceo", "pipefail", "{path}"], ["env", "A=b", "bash", "-c", "{path}"],
      ["nice", "-n", "5", "/bin/bash", "-c", "{path}"], ["timeout", "5", "sh", "-c", "{path}"],
      ["sudo", "-u", "me", "bash", "-c", "{path}"], ["busybox", "sh", "-c", "{path}"],
      ["rbash", "-c", "{path}"], ["/usr/bin/bash5.2", "-c", "{path}"], ["yash", "-c", "{path}"],
      ["posh", "-lc", "{path}"], ["ksh93", "-c", "{path}"], ["su", "-c", "rm {path}", "me"],
      ["su", "me", "--command=rm {path}"], ["script", "-qc", "echo {title}", "/dev/null"],
      ["runuser", "-u", "me", "--session-command", "{path}"], ["fish", "--command", "{path}"],
      ["sh", "-c", "eval \"$0\"", "{path}"], ["sh", "-c", "exec sh -c \"$1\"", "sh", "{path}"],
      ["bash", "-c", "env A=b /bin/bash5.2 -ec \"$0\"", "-c", "{path}"],
    ] {
      #expect(problem(words) == .placeholderForShell, "\(words)")
    }
    #expect(problem(["env", "sh", "-c", "-e", "rm \"$1\"", "sh", "{path}"]) == nil)
    #expect(problem(["bash", "--rcfile", "{path}", "script"]) == nil)
    // Arguments of the text are not executed, and these braces are no placeholder.
    #expect(problem(["sh", "-c", "rm \"$1\"", "sh", "{path}"]) == nil)
    #expect(problem(["sh", "-c", "wc -c \"$1\" >/tmp/evaluation", "sh", "{path}"]) == nil)
    #expect(problem(["sh", "-c", "awk '{print}'"]) == nil)
    #expect(problem(["sh", "{path}"]) == nil)
    #expect(problem(["notify-send", "-c", "{title}"]) == nil)
  }

  @Test func `a command is an array of words, checked when it is decoded`() throws {
    let command = try HookCommand.make(["/opt/a b/play", "{path}"]).get()
    #expect(command.programName == "play")
    let data = try JSONEncoder().encode(command)
    #expect(try JSONDecoder().decode(HookCommand.self, from: data) == command)
    let stored = Data(#"["sh","-c","{path}"]"#.utf8)
    #expect(try JSONDecoder().decode(HookCommand.self, from: stored).fillsShellText)
    for text in ["[]", #"["./a"]"#, "{}"] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(HookCommand.self, from: Data(text.utf8))
      }
    }
  }

  @Test func `a value takes the place of its placeholder and is not read again`() {
    let filled = HookPlaceholder.fill("a {path} {} {nothing} {{id}} {path") { placeholder in
      placeholder == .path ? "{id}" : placeholder.rawValue.uppercased()
    }
    #expect(filled == "a {id} {} {nothing} {ID} {path")
  }
}
