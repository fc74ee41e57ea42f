import Testing

@testable import KettleModel

/// The one table of refusals.
struct StatusMeaningTests {
  // Fault 142
  @Test func `every HTTP status without Retry-After has the meaning that is written here`() {
    let written: [StatusMeaning: Set<Int>] = [
      .user: [401, 407], .network: [511], .host: [429, 503, 509, 529],
      .passing: Set([202, 408, 421, 425]).union(500...599)
        .subtracting([501, 503, 505, 506, 508, 509, 510, 511, 529]),
    ]
    for status in 100...999 {
      let meaning = written.first { $0.value.contains(status) }?.key ?? .final
      #expect(StatusMeaning(status: status, hasRetryAfter: false) == meaning, "\(status)")
    }
  }

  // Fault 142
  @Test func `with Retry-After no refusal is final, unless a login is missing`() {
    for status in 400...599 {
      let meaning = StatusMeaning(status: status, hasRetryAfter: true)
      switch status {
      case 401, 407: #expect(meaning == .user)
      case 511: #expect(meaning == .network)
      case 403, 429, 500...: #expect(meaning == .host, "\(status) concerns the whole host")
      default: #expect(meaning == .passing, "\(status)")
      }
    }
  }

  // Fault 143
  @Test(
    arguments: [
      (421, "", .host), (421, "Too many connections (2) from this IP", .host),
      (530, "Sorry, the maximum number of clients (2) from your host are already connected", .host),
      (530, "Anonymous logins limit reached, try again later", .host),
      (530, "User limit exceeded", .host), (530, "The server is full", .host),
      (530, "This account is already logged in", .host), (530, "Too many users", .host),
      (530, "Login incorrect", .user), (530, "Please login with USER and PASS", .user),
      (530, "Too many failed login attempts", .user), (530, "Access limited to members", .user),
      (530, "", .user), (430, "Invalid username or password", .user),
      (425, "no data", .passing), (450, "in use", .passing), (452, "no space", .passing),
      (500, "?", .final), (550, "No such file", .final), (552, "limit exceeded", .final),
    ] as [(Int, String, StatusMeaning)])
  func `an FTP server's reply has its meaning by number and words`(
    number: Int, text: String, meaning: StatusMeaning
  ) {
    #expect(StatusMeaning(ftpReply: number, text: text) == meaning)
    let failure = TransferFailure(.httpStatus, on: "ftp://h/f", detail: "\(number) \(text)")
    #expect(failure.statusMeaning() == meaning)
  }

  // Fault 143
  @Test func `the number of a failure is read in the protocol of its server`() {
    func meaning(_ subject: String, _ detail: String?) -> StatusMeaning? {
      TransferFailure(.httpStatus, on: subject, detail: detail).statusMeaning()
    }
    #expect(meaning("ftp://h/f", "530 no") == .user)
    #expect(meaning("http://h/f", "530") == .passing)
    #expect(meaning("https://h/f", "421") == .passing)
    #expect(meaning("ftps://h/f", "421") == .host)
    #expect(meaning("sftp://h/f", "permission denied") == .final)
    #expect(meaning("h:80", "503") == .host)
    #expect(meaning("http://h/f", nil) == .final)
    #expect(TransferFailure(.timedOut, on: "http://h/f", detail: "503").statusMeaning() == nil)
  }
}
