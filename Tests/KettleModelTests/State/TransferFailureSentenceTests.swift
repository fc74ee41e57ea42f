import Foundation
import Testing

@testable import KettleModel

struct TransferFailureSentenceTests {
  /// Code, subject, detail, sentence; every code once.
  private static let sentences: [(TransferFailure.Code, String, String?, String)] = [
    (.badURL, "u", "no", "The URL \"u\" cannot be used (no); check it and add it again"),
    (
      .tooManyRedirects, "u", nil,
      "\"u\" redirects too many times; open it in a browser and copy the final link"
    ),
    (
      .redirectRefused, "u", "to ftp",
      "\"u\" leads to an address that is not allowed (to ftp); add the final link instead"
    ),
    (
      .httpStatus, "u", "404 Not Found",
      "The server responded to \"u\" with 404 Not Found; check the link, then start it again"
    ),
    (
      .rangeReplyWrong, "u", nil,
      "The server sent a different part of \"u\" than requested; start it again"
    ),
    (
      .encodedReply, "u", "gzip",
      "The server sent \"u\" with a content encoding, so it cannot be resumed (gzip); start it again"
    ),
    (
      .clientCertificateNeeded, "h:443", "it rejected the one that was sent",
      "\"h:443\" requires a client certificate (it rejected the one that was sent); "
        + "give it with --cert and --key"
    ),
    (
      .loginNeeded, "u", nil,
      "\"u\" requires a login; "
        + "give one with kettle start ID --user NAME, which keeps everything"
    ),
    (
      .linkExpired, "u", nil,
      "The link \"u\" is no longer valid; replace it with kettle start ID --url URL"
    ),
    (
      .otherVersion, "f", nil,
      "The file \"f\" has changed on the server; start it again"
    ),
    (
      .otherFile, "u", "5 bytes in place of 4",
      "The link \"u\" leads to a different file (5 bytes in place of 4); replace it with kettle start ID --url URL"
    ),
    (
      .contradictoryReply, "u", "5 bytes in place of 9 under the same validator",
      "The server sent contradictory responses for \"u\" (5 bytes in place of 9 under the same validator); "
        + "start it again later, or stop it and start it to fetch it from the beginning"
    ),
    (
      .networkDown, "h", "Network is unreachable",
      "The network to \"h\" is down (Network is unreachable); it continues when the network is back"
    ),
    (
      .webPage, "u", "Please log in",
      "A web page arrived instead of the file \"u\" (Please log in); take it with kettle accept ID, or request the file again with kettle start ID"
    ),
    (
      .nameServerSilent, "h", nil,
      "The address of \"h\" could not be looked up because no name server answered; check the network, then start it again"
    ),
    (
      .proxyUnreachable, "p:3128", "Connection refused",
      "The proxy \"p:3128\" cannot be reached (Connection refused); check the proxy settings"
    ),
    (
      .proxyLoginNeeded, "p:3128", "rejected the login",
      "The proxy \"p:3128\" rejected the login; correct the proxy settings"
    ),
    (.hostNotFound, "h", "x", "The host \"h\" was not found; check its name and the network"),
    (
      .connectionRefused, "h", nil,
      "\"h\" refused the connection; check the address or try again later"
    ),
    (.connectionLost, "h", nil, "The connection to \"h\" was lost; start it again"),
    (.timedOut, "h", nil, "\"h\" did not respond in time; start it again later"),
    (
      .tlsRefused, "h", "self-signed certificate",
      "The identity of \"h\" cannot be verified (self-signed certificate); "
        + "if the server is yours, give its certificate authority with --ca-certificate"
    ),
    (.proxyFailed, "h", nil, "The proxy for \"h\" failed; check the proxy settings"),
    (
      .noDataConnection, "h", nil,
      "\"h\" opened no connection for the file; "
        + "check the firewall in between and the passive ports of the server"
    ),
    (.protocolBroken, "h", nil, "\"h\" sent a response that is not HTTP; check the address"),
    (
      .protocolBroken, "ftp://h", "999 hello",
      "\"ftp://h\" sent a response that is not FTP (999 hello); check the address"
    ),
    (
      .protocolBroken, "sftp://h", nil,
      "\"sftp://h\" sent a response that is not SFTP; check the address"
    ),
    (
      .certificateFileUnusable, "/f", nil,
      "The certificate file \"/f\" cannot be used; check its path and that it is in PEM format"
    ),
    (
      .headersFileUnusable, "/f", "others can read it",
      "The file \"/f\" with headers for the host cannot be used (others can read it); correct it, "
        + "then start it again; nothing was sent without it"
    ),
    (.truncated, "u", nil, "The response for \"u\" ended too early; start it again"),
    (.tooLong, "u", nil, "The response for \"u\" is longer than announced; start it again"),
    (
      .directoryMissing, "/d", nil,
      "The directory \"/d\" does not exist; create it, then start it again"
    ),
    (
      .directoryUnwritable, "/d", "EACCES",
      "The directory \"/d\" is not writable (EACCES); "
        + "change its permissions or choose another with -d"
    ),
    (.diskFull, "/d", nil, "The disk of \"/d\" is full; it continues when there is space"),
    (
      .nameTaken, "/f", "x",
      "\"/f\" already exists (x); choose another name with -o, or use --on-conflict rename"
    ),
    (
      .fileProblem, "/f", "EIO",
      "The file \"/f\" cannot be written (EIO); check the disk, then start it again"
    ),
    (
      .fileProblem, "/f", "EFBIG",
      "The file \"/f\" cannot be written (EFBIG); its file system, or a limit of the service "
        + "(ulimit -f), allows no file that large, so choose another directory with -d"
    ),
    (
      .fileProblem, "/f", "ENAMETOOLONG",
      "The file \"/f\" cannot be written (ENAMETOOLONG); its file system allows shorter names "
        + "only, so choose one with -o"
    ),
    (
      .fileProblem, "/f", FileTrouble.detail(refusing: "EINVAL"),
      "The file \"/f\" cannot be written (EINVAL for this name); its file system forbids a "
        + "character of the name, so choose another with -o"
    ),
    (
      .checksumMismatch, "/f", nil,
      "The checksum of \"/f\" does not match; the file was not kept, so start it again"
    ),
    (
      .partialFileChanged, "/f", nil,
      "Another program changed the partial file \"/f\"; start it again"
    ),
    (
      .uploadFileUnusable, "/a", "ENOENT",
      "The file \"/a\" cannot be uploaded (ENOENT); check that it exists and is unchanged, then add it again"
    ),
    (
      .storeRefused, "s3://b/f", "403 AccessDenied",
      "The object store refuses to store \"s3://b/f\" (403 AccessDenied); check the keys, the bucket and its region, then start it again"
    ),
    (
      .storeUnavailable, "s3://b/f", "503 SlowDown",
      "The object store could not store \"s3://b/f\" (503 SlowDown); start it again"
    ),
    (
      .uploadGone, "s3://b/f", nil,
      "The object store has lost the parts of \"s3://b/f\"; start it again"
    ),
    (.cancelled, "https://h/f", nil, "\"https://h/f\" was cancelled"),
    (
      .conditionUnmet, "mainsPower", nil,
      "Waiting for mains power; start it to continue without"
    ),
    (.internalProblem, "u", "why", "Internal error on \"u\" (why); please report it"),
    (
      .checksumListUnusable, "https://h/SHA256SUMS", "it has no line for \"a.iso\"",
      "The list of checksums \"https://h/SHA256SUMS\" cannot be used (it has no line for \"a.iso\"); give the digest with --checksum"
    ),
    (
      .torrentUnusable, "https://h/a.torrent", "it names no web server, and Kettle has no peers",
      "The torrent \"https://h/a.torrent\" cannot be used (it names no web server, and Kettle has no "
        + "peers); get it with --as-is, then pass the file to kettle add"
    ),
    (
      .wrongPiece, "https://h/f", "bytes 0 to 9",
      "\"https://h/f\" sent bytes that do not match their digest (bytes 0 to 9); what is right was "
        + "kept, so add another source with --mirror, or start it again"
    ),
    (
      .metalinkUnusable, "https://h/a.meta4", "it describes 2 files",
      "The Metalink \"https://h/a.meta4\" cannot be used (it describes 2 files); get it with --as-is, then pass the file to kettle add"
    ),
    (
      .playlistUnusable, "https://h/a.m3u8", "it is encrypted with SAMPLE-AES",
      "The playlist \"https://h/a.m3u8\" cannot be joined into a file (it is encrypted with SAMPLE-AES); get the playlist itself with --as-is"
    ),
    (
      .liveStream, "https://h/a.m3u8", nil,
      "\"https://h/a.m3u8\" is a live stream and has no end; add it when the recording is complete"
    ),
    (
      .listUnusable, "https://h/d/", "it lists no files",
      "The list of files \"https://h/d/\" cannot be used (it lists no files); check the address of the collection"
    ),
    (
      .membersUnfinished, "hf://org/model@main", nil,
      "Files of \"hf://org/model@main\" are still to be fetched"
    ),
    (
      .membersFailed, "hf://org/model@main", "1 of 96",
      "Files of \"hf://org/model@main\" could not be fetched (1 of 96); start it again to fetch them"
    ),
    (
      .notContinued, "/d/a.iso", "it is a directory",
      "The file \"/d/a.iso\" cannot be continued (it is a directory); move it away, or leave out --continue"
    ),
    (
      .unpackingFailed, "a.json", "it ends in the middle",
      "The file \"a.json\" cannot be unpacked (it ends in the middle); get it without --decode"
    ),
  ]

  @Test(arguments: sentences)
  func `each failure has a sentence with subject and remedy`(
    code: TransferFailure.Code, subject: String, detail: String?, sentence: String
  ) {
    #expect(TransferFailure(code, on: subject, detail: detail).sentence == sentence)
  }

  private static let whileRetrying: [(TransferFailure.Code, String?, String)] = [
    (
      .httpStatus, "503",
      "The server responded to \"h\" with 503; it will be retried"
    ),
    (
      .rangeReplyWrong, nil,
      "The server sent a different part of \"h\" than requested; it will be retried"
    ),
    (
      .contradictoryReply, "200 with Content-Range: bytes 5-9/10",
      "The server sent contradictory responses for \"h\" (200 with Content-Range: bytes 5-9/10); it will be retried"
    ),
    (.connectionRefused, nil, "\"h\" refused the connection; it will be retried"),
    (
      .connectionRefused, "Connection refused",
      "\"h\" refused the connection; it will be retried"
    ),
    (
      .nameServerSilent, nil,
      "The address of \"h\" could not be looked up because no name server answered; it will be retried"
    ),
    (.proxyUnreachable, nil, "The proxy \"h\" cannot be reached; it will be retried"),
    (.proxyLoginNeeded, nil, "The proxy \"h\" requires a login; correct the proxy settings"),
    (.connectionLost, "reset", "The connection to \"h\" was lost (reset); it will be retried"),
    (.timedOut, nil, "\"h\" did not respond in time; it will be retried"),
    (.truncated, nil, "The response for \"h\" ended too early; it will be retried"),
    (.hostNotFound, nil, "The host \"h\" was not found; check its name and the network"),
  ]

  @Test(arguments: whileRetrying)
  func `a transfer that is retried automatically does not need a start`(
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

  @Test func `every failure code has a test case`() {
    #expect(Set(Self.sentences.map(\.0)) == Set(TransferFailure.Code.allCases))
  }

  // Fault 142
  // Fault 144
  @Test(
    arguments: [
      ("http://h/f", "503", "the link may be right, so start it again later"),
      ("http://h/f", "599", "the link may be right, so start it again later"),
      ("http://h/f", "501", "the server cannot send it in this way, so try another link"),
      ("http://h/f", "403", "check the link, then start it again"),
      ("ftp://h/f", "450 in use", "the link may be right, so start it again later"),
      ("ftp://h/f", "550 no such file", "check the link, then start it again"),
      ("http://h/f", "511", "open any page in a browser and log in, then it continues"),
    ])
  func `the remedy of a refusal is for this trouble`(
    subject: String, detail: String, remedy: String
  ) {
    let sentence = TransferFailure(.httpStatus, on: subject, detail: detail).sentence
    #expect(sentence.hasSuffix("; " + remedy), "\(sentence)")
  }

  @Test func `an unknown status is reported as an error`() {
    #expect(
      TransferFailure(.httpStatus, on: "u").sentence
        == "The server responded to \"u\" with an error; check the link, then start it again")
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
