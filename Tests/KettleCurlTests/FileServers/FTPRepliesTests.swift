import CKettleCurl
import Testing

@testable import KettleCurl

struct FTPRepliesTests {
  private func read(_ lines: String...) -> FTPReplies {
    var replies = FTPReplies()
    for line in lines { _ = replies.read(Array((line + "\r\n").utf8)) }
    return replies
  }

  @Test func `the last line of a reply has its code and text`() {
    #expect(read("220 hello").last == .init(code: 220, text: "hello"))
    #expect(read("220-hello", "220 there").last == .init(code: 220, text: "there"))
    #expect(read("230-a", " 530 no", "530no", "5x0 no", "23").last == nil)
    #expect(read("226").last?.words == "226")
  }

  @Test func `text is shown without a period, control characters and excess`() {
    #expect(read("550 Gone.").last?.words == "550 Gone")
    #expect(read("550 \u{1B}[2Jx").last?.text.contains("\u{1B}") == false)
    let long = read("550 " + String(repeating: "a", count: 10_000)).last?.text.count
    #expect(long.map { $0 <= 130 } == true)
  }

  @Test func `the goodbye does not replace the reason`() {
    #expect(read("550 gone", "221 bye").last?.code == 550)
  }

  @Test func `the size follows the data address, the time precedes it`() {
    #expect(read("213 20240102030405").size == nil)
    #expect(read("213 20240102030405", "229 port").size == nil)
    #expect(read("213 20240102030405", "229 port", "200 type", "213 5").size == 5)
    #expect(read("227 port", "213 the file has 5").size == 5)
    #expect(read("229 port", "213 -5").size == nil)
    #expect(read("229 port", "213 many").size == nil)
    #expect(read("229 port", "502 SIZE?").size == nil)
  }

  @Test func `the reply to RETR may tell the size`() {
    #expect(read("150 Opening x (y) (2241 bytes).").openingSize == 2241)
    #expect(read("125 open (12 bytes)").openingSize == 12)
    #expect(read("150 (2241 kbytes) (bytes) (-1 bytes)").openingSize == nil)
  }

  @Test func `an offset is accepted by 350 alone`() {
    #expect(read("229 port", "350 go on").hasRestarted)
    #expect(!read("229 port", "200 fine").hasRestarted)
    #expect(!read("350 rename", "229 port").hasRestarted)
  }

  @Test func `the data connection is awaited between its address and the next reply`() {
    #expect(read("229 port").isAwaitingDataConnection)
    #expect(!read("229 port", "200 type").isAwaitingDataConnection)
    #expect(!FTPReplies().isAwaitingDataConnection)
  }

  @Test func `endless replies are an error`() {
    var replies = FTPReplies()
    let line = Array("220-more\r\n".utf8)
    var count = 0
    while replies.read(line) == .more { count += 1 }
    #expect(count == FTPReplies.lineCountMax)
    var long = FTPReplies()
    let wide = [UInt8](repeating: 65, count: 100_000)
    #expect(long.read(wide) == .more)
    #expect(long.read(wide) == .more)
    #expect(long.read(wide) == .broken("its replies do not end"))
  }

  @Test(
    arguments: [
      (CURLE_OPERATION_TIMEDOUT, 421, "full", .busy),
      (CURLE_LOGIN_DENIED, 530, "Login incorrect", .loginNeeded),
      (CURLE_LOGIN_DENIED, 530, "Sorry, the maximum number of clients is connected", .busy),
      (CURLE_LOGIN_DENIED, 530, "Too many users", .busy),
      (CURLE_LOGIN_DENIED, 530, "Anonymous logins limit reached", .busy),
      (CURLE_LOGIN_DENIED, 530, "Too many failed login attempts", .loginNeeded),
      (CURLE_LOGIN_DENIED, 331, "?", .loginNeeded),
      (CURLE_LOGIN_DENIED, 500, "no", .loginNeeded),
      (CURLE_REMOTE_FILE_NOT_FOUND, 550, "gone", .notFound),
      (CURLE_REMOTE_ACCESS_DENIED, 550, "no such directory", .notFound),
      (CURLE_FTP_COULDNT_RETR_FILE, 550, "denied", .notFound),
      (CURLE_FTP_COULDNT_RETR_FILE, 450, "in use", .busy),
      (CURLE_FTP_COULDNT_RETR_FILE, 451, "error", .busy),
      (CURLE_FTP_COULDNT_RETR_FILE, 425, "no data connection", nil),
      (CURLE_FTP_COULDNT_RETR_FILE, 226, "sent", nil),
      (CURLE_COULDNT_CONNECT, 229, "port", nil), (CURLE_PARTIAL_FILE, 426, "aborted", nil),
    ] as [(CURLcode, Int, String, FileRefusal?)])
  func `a refusal is the status with the same meaning`(
    code: CURLcode, number: Int, text: String, refusal: FileRefusal?
  ) {
    let reply = FTPReplies.Reply(code: number, text: text)
    #expect(FileRefusal(byFTP: code, after: reply) == refusal)
    #expect(FileRefusal(byFTP: code, after: nil) == nil)
  }

  @Test func `a refusal over SFTP is the status with the same meaning`() {
    #expect(FileRefusal(bySFTP: CURLE_LOGIN_DENIED) == .loginNeeded)
    #expect(FileRefusal(bySFTP: CURLE_REMOTE_FILE_NOT_FOUND) == .notFound)
    #expect(FileRefusal(bySFTP: CURLE_REMOTE_ACCESS_DENIED) == .notPermitted)
    #expect(FileRefusal(bySFTP: CURLE_SSH) == nil)
  }
}
