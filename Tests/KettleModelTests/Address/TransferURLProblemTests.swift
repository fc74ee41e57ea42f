import Testing

@testable import KettleModel

struct TransferURLProblemTests {
  @Test(
    arguments: [
      (.empty, "", "The URL is empty; give one such as https://example.org/file.iso"),
      (.tooLong, "u", "The URL \"u\" is longer than 16384 bytes; shorten it"),
      (
        .controlCharacter, "a\u{1B}b",
        "The URL \"a\u{FFFD}b\" contains a control character or a line break; copy it again"
      ),
      (
        .characterForbidden(" "), "a b",
        "The URL \"a b\" contains a space; write %20, or quote each URL separately"
      ),
      (
        .characterForbidden("\\"), "a\\b",
        "The URL \"a\\b\" contains \"\\\"; percent-encode it"
      ),
      (.schemeMissing, "u", "The URL \"u\" has no scheme; start it with https:// or http://"),
      (
        .schemeUnsupported("nfs"), "nfs://u",
        "The URL \"nfs://u\" has the scheme \"nfs\"; "
          + "only http, https, ftp, ftps and sftp are supported"
      ),
      (
        .directory, "ftp://h/d/",
        "The URL \"ftp://h/d/\" is a directory, which cannot be downloaded; "
          + "give the URL of a file"
      ),
      (.hostMissing, "http://", "The URL \"http://\" has no host; write https://HOST/PATH"),
      (.hostMalformed, "http://[", "The host in the URL \"http://[\" is not a host name; check it"),
      (
        .portMalformed, "http://h:0",
        "The port in the URL \"http://h:0\" is not a number from 1 to 65535"
      ),
      (
        .loginMalformed, "http://a%@h",
        "The user and password in the URL cannot be read; give them with --user"
      ),
    ] as [(TransferURLProblem, String, String)])
  func `each problem has its sentence`(
    problem: TransferURLProblem, text: String, sentence: String
  ) {
    #expect(problem.sentence(text) == sentence)
  }

  @Test(arguments: [
    "http://user:hunter2@exa mple/", "http://user:hun/ter2@h/", "http://user:hunter2@h:99999/",
    "nfs://user:hunter2@h/", "user:hunter2@h/",
  ])
  func `no sentence contains a typed password`(text: String) throws {
    guard case .failure(let problem) = TransferURL.parse(text) else {
      Issue.record("\(text) was accepted")
      return
    }
    let sentence = problem.sentence(text)
    #expect(!sentence.contains("hun"))
    #expect(sentence.contains("…@"))
  }

  @Test func `a long text is cut`() {
    let sentence = TransferURLProblem.schemeMissing.sentence(String(repeating: "x", count: 9_000))
    #expect(sentence.count < 300)
  }
}
