import Foundation
import Testing

@testable import KettleModel

struct TransferFailureSentenceTests {
  /// Code, subject, detail, sentence; every code stands here once.
  private static let sentences: [(TransferFailure.Code, String, String?, String)] = [
    (.badURL, "u", "no", "The URL \"u\" cannot be used (no); check it and add it again"),
    (
      .tooManyRedirects, "u", nil,
      "\"u\" redirects too often; open it in a browser and copy the final link"
    ),
    (
      .redirectRefused, "u", "to ftp",
      "\"u\" redirects to a place that is not allowed (to ftp); add the final link itself"
    ),
    (
      .httpStatus, "u", "404 Not Found",
      "The server answered \"u\" with 404 Not Found; check the link, then start it again"
    ),
    (
      .rangeReplyWrong, "u", nil,
      "The server sent another part of \"u\" than was asked for; start it again"
    ),
    (
      .encodedReply, "u", "gzip",
      "The server sent \"u\" encoded, which cannot be resumed (gzip); start it again"
    ),
    (
      .clientCertificateNeeded, "h:443", "it refuses the one it was shown",
      "\"h:443\" wants a certificate of the client (it refuses the one it was shown); "
        + "only a program can give it one"
    ),
    (.loginNeeded, "u", nil, "\"u\" asks for a login; add it again with --user"),
    (
      .linkExpired, "u", nil,
      "The link \"u\" is no longer valid; give it a fresh one with kettle start ID --url URL"
    ),
    (
      .otherVersion, "f", nil,
      "The server has another version of \"f\" than was begun; start it again"
    ),
    (
      .otherFile, "u", "5 bytes in place of 4",
      "The link \"u\" leads to another file than was begun (5 bytes in place of 4); give it the right one with kettle start ID --url URL"
    ),
    (
      .contradictoryReply, "u", "5 bytes in place of 9 under the same validator",
      "The server contradicts itself about \"u\" (5 bytes in place of 9 under the same validator); "
        + "start it again later, or stop it and start it to fetch it from zero"
    ),
    (
      .networkDown, "h", "Network is unreachable",
      "There is no network to \"h\" (Network is unreachable); it goes on when the network is back"
    ),
    (.hostNotFound, "h", "x", "The host \"h\" was not found; check its name and the network"),
    (
      .connectionRefused, "h", nil,
      "\"h\" refuses connections; check the address or try again later"
    ),
    (.connectionLost, "h", nil, "The connection to \"h\" was lost; start it again"),
    (.timedOut, "h", nil, "\"h\" did not answer in time; start it again later"),
    (
      .tlsRefused, "h", "expired",
      "The identity of \"h\" cannot be trusted (expired); "
        + "if it is yours, give its authority with --ca-certificate"
    ),
    (.proxyFailed, "h", nil, "The proxy for \"h\" failed; check the proxy settings"),
    (.protocolBroken, "h", nil, "\"h\" sent something that is not HTTP; check the address"),
    (
      .certificateFileUnusable, "/f", nil,
      "The certificate file \"/f\" cannot be used; check the path and that it is PEM"
    ),
    (.truncated, "u", nil, "\"u\" ended too early; start it again"),
    (.tooLong, "u", nil, "\"u\" sent more than it announced; start it again"),
    (
      .directoryMissing, "/d", nil,
      "The directory \"/d\" is not there; create it, then start it again"
    ),
    (
      .directoryUnwritable, "/d", "EACCES",
      "The directory \"/d\" cannot be written to (EACCES); "
        + "change its permissions or choose another with -d"
    ),
    (.diskFull, "/d", nil, "The disk of \"/d\" is full; it goes on when there is space"),
    (
      .nameTaken, "/f", "x",
      "\"/f\" already exists (x); choose another name with -o, or --on-conflict rename"
    ),
    (
      .fileProblem, "/f", "EIO",
      "The file \"/f\" cannot be written (EIO); check the disk, then start it again"
    ),
    (
      .checksumMismatch, "/f", nil,
      "\"/f\" does not have the expected checksum; the file was not kept, start it again"
    ),
    (
      .partialFileChanged, "/f", nil,
      "The partial file \"/f\" was changed by another program; start it again"
    ),
    (
      .uploadFileUnusable, "/a", "ENOENT",
      "The file \"/a\" cannot be sent (ENOENT); check that it is there and unchanged, then add it again"
    ),
    (.cancelled, "https://h/f", nil, "\"https://h/f\" was cancelled"),
    (
      .conditionUnmet, "mainsPower", nil,
      "It waits for mains power; start it to go on without"
    ),
    (.internalProblem, "u", "why", "Kettle went wrong on \"u\" (why); please report it"),
  ]

  @Test(arguments: sentences)
  func `each failure says what failed, on what, and what to do`(
    code: TransferFailure.Code, subject: String, detail: String?, sentence: String
  ) {
    #expect(TransferFailure(code, on: subject, detail: detail).sentence == sentence)
  }

  private static let whileRetrying: [(TransferFailure.Code, String?, String)] = [
    (
      .httpStatus, "503",
      "The server answered \"h\" with 503; it is tried again"
    ),
    (
      .rangeReplyWrong, nil,
      "The server sent another part of \"h\" than was asked for; it is tried again"
    ),
    (
      .contradictoryReply, "200 with Content-Range: bytes 5-9/10",
      "The server contradicts itself about \"h\" (200 with Content-Range: bytes 5-9/10); it is tried again"
    ),
    (.connectionRefused, nil, "\"h\" refuses connections; it is tried again"),
    (.connectionLost, "reset", "The connection to \"h\" was lost (reset); it is tried again"),
    (.timedOut, nil, "\"h\" did not answer in time; it is tried again"),
    (.truncated, nil, "\"h\" ended too early; it is tried again"),
    (.hostNotFound, nil, "The host \"h\" was not found; check its name and the network"),
  ]

  @Test(arguments: whileRetrying)
  func `what is tried again by itself is not to be started`(
    code: TransferFailure.Code, detail: String?, sentence: String
  ) {
    let failure = TransferFailure(code, on: "h", detail: detail)
    #expect(failure.sentenceWhileRetrying == sentence)
    var row = TransferSnapshot(
      id: TransferID(rawValue: 1), session: .kettle, taskIdentifier: 1, title: "t", url: "u",
      state: .waiting, reason: .retryAfter, createdAt: WallTime(millisecondsSince1970: 0))
    row.error = failure
    #expect(row.problemSentence == sentence)
    row.state = .failed
    row.reason = nil
    #expect(row.problemSentence == failure.sentence)
  }

  @Test func `no code is without its sentence here`() {
    #expect(Set(Self.sentences.map(\.0)) == Set(TransferFailure.Code.allCases))
    #expect(Self.sentences.count == TransferFailure.Code.allCases.count)
  }

  @Test func `a status that is not known is an error`() {
    #expect(
      TransferFailure(.httpStatus, on: "u").sentence
        == "The server answered \"u\" with an error; check the link, then start it again")
  }

  @Test(arguments: TransferFailure.Code.allCases)
  func `text from outside cannot drive the terminal`(code: TransferFailure.Code) {
    let sentence = TransferFailure(code, on: "a\u{1B}[2Jb\n", detail: "c\r\u{202E}d").sentence
    #expect(!sentence.unicodeScalars.contains { $0.isControl || $0.isInvisible })
    #expect(!sentence.hasSuffix("."))
  }

  @Test func `a failure survives coding`() throws {
    for code in TransferFailure.Code.allCases {
      let failure = TransferFailure(code, on: "s", detail: "d")
      let data = try JSONEncoder().encode(failure)
      #expect(try JSONDecoder().decode(TransferFailure.self, from: data) == failure)
    }
  }
}
