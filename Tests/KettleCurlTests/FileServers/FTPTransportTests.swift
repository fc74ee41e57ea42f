import Glibc
import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleCurl

/// Exchanges with an FTP server that can lie.
struct FTPTransportTests {
  private let body = SeededBody(seed: 8, byteCount: 300_000)

  private func fetch(
    _ behavior: FTPBehavior, from offset: Int64 = 0, to upper: Int64? = nil,
    _ change: (inout AttemptRequest) -> Void = { _ in }
  ) async throws -> (fetched: TransportProbe.Fetched, server: ScriptedFTPServer) {
    let server = try ScriptedFTPServer(behavior)
    let probe = try TransportProbe()
    let fetched = try await probe.fetch(try server.url) { request in
      if offset > 0 {
        let last = upper.map { "\($0 - 1)" } ?? ""
        request.headers = [HeaderField(received: "Range", "bytes=\(offset)-\(last)")]
      }
      change(&request)
    }
    return (fetched, server)
  }

  private func header(_ name: String, _ fetched: TransportProbe.Fetched) -> String? {
    fetched.head?.value(of: name)
  }

  // MARK: Bodies

  @Test func `a whole file comes with its size and time`() async throws {
    let (fetched, server) = try await fetch(FTPBehavior(body))
    #expect(fetched.head?.status == 200)
    #expect(header("Content-Length", fetched) == "300000")
    #expect(header("Last-Modified", fetched) == "Tue, 02 Jan 2024 03:04:05 GMT")
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
    #expect(server.commands("USER") == ["USER anonymous"])
    #expect(server.commands("PORT") + server.commands("EPRT") == [])
  }

  @Test func `a part begins where it was requested`() async throws {
    let (fetched, server) = try await fetch(FTPBehavior(body), from: 100_001)
    #expect(fetched.head?.status == 206)
    #expect(header("Content-Range", fetched) == "bytes 100001-299999/300000")
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes(in: 100_001..<300_000)))
    #expect(server.commands("REST") == ["REST 100001"])
  }

  @Test func `a part ends where it was requested`() async throws {
    let (fetched, _) = try await fetch(FTPBehavior(body), from: 5, to: 70_000)
    #expect(header("Content-Range", fetched) == "bytes 5-69999/300000")
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes(in: 5..<70_000)))
  }

  @Test func `an empty file has no body`() async throws {
    let (fetched, _) = try await fetch(FTPBehavior(SeededBody(seed: 1, byteCount: 0)))
    #expect(fetched.head?.status == 200)
    #expect(header("Content-Length", fetched) == "0")
    #expect(fetched.end == .complete)
  }

  @Test func `the end of a file of unknown size is what the server confirms`() async throws {
    let (fetched, _) = try await fetch(
      FTPBehavior(body).with {
        $0.size = ""
        $0.modified = "502 MDTM?"
      })
    #expect(fetched.head == ResponseHead(status: 200, headers: []))
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
    let cut = FTPBehavior.Cut(after: 100_000, reply: "426 aborted")
    let (broken, _) = try await fetch(
      FTPBehavior(body).with {
        $0.size = ""
        $0.cut = cut
      })
    #expect(broken.end.failure?.code == .truncated)
  }

  // MARK: Resuming

  @Test func `a server that cannot resume sends the whole file`() async throws {
    let (fetched, server) = try await fetch(
      FTPBehavior(body).with { $0.restart = .refused }, from: 100_000)
    #expect(fetched.head?.status == 200)
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
    #expect(server.commands("RETR").count == 1)
  }

  @Test(arguments: ["50000", "100000"])
  func `an offset at or beyond the end begins again`(size: String) async throws {
    let short = SeededBody(seed: 8, byteCount: try #require(Int64(size)))
    let (fetched, _) = try await fetch(FTPBehavior(short), from: 100_000)
    #expect(fetched.head?.status == 200)
    #expect(header("Content-Length", fetched) == size)
    #expect(fetched.bytes().elementsEqual(short.bytes))
  }

  @Test func `without a known size nothing is taken for a part`() async throws {
    let (fetched, _) = try await fetch(FTPBehavior(body).with { $0.size = "" }, from: 100_000)
    #expect(fetched.head?.status == 200)
    #expect(fetched.bytes().elementsEqual(body.bytes))
  }

  @Test func `a server that only pretends to resume sends too much`() async throws {
    let (fetched, _) = try await fetch(
      FTPBehavior(body).with { $0.restart = .ignored }, from: 200_000)
    #expect(fetched.head?.status == 206)
    #expect(fetched.end.failure?.code == .tooLong)
  }

  @Test func `too much is noticed also by a sink that has enough`() async throws {
    let server = try ScriptedFTPServer(FTPBehavior(body).with { $0.restart = .ignored })
    let probe = try TransportProbe()
    let id = probe.begin(try server.url) {
      $0.headers = [HeaderField(received: "Range", "bytes=200000-")]
    }
    _ = try await probe.head(of: id)
    probe.transport.accept(id, into: BoundedSink(byteCount: 100_000))
    #expect(try await probe.end(of: id).failure?.code == .tooLong)
  }

  @Test func `a server that cannot confirm the end was still sending`() async throws {
    let (fetched, _) = try await fetch(FTPBehavior(body).with { $0.end = "426 broken pipe" })
    #expect(fetched.end.failure?.code == .tooLong)
    #expect(fetched.end.failure?.detail?.hasSuffix("426 broken pipe") == true)
  }

  // MARK: Sizes that are wrong

  @Test func `a file longer than announced is an error`() async throws {
    let (fetched, _) = try await fetch(FTPBehavior(body).with { $0.size = "1000" })
    #expect(fetched.end.failure?.code == .tooLong)
  }

  /// The bytes beyond the size come when all others have long been read.
  // Fault 146
  @Test(arguments: ["226 sent", "426 broken pipe"])
  func `what follows the announced size is waited for, and nothing of it counts`(
    end: String
  ) async throws {
    let gate = Gate()
    let server = try ScriptedFTPServer(
      FTPBehavior(body).with {
        $0.size = "100000"
        $0.end = end
        $0.hold = .init(after: 100_000, gate)
      })
    let probe = try TransportProbe()
    // The client waits for seconds, and a task of a busy process may run later.
    let sink = RecordingSink(noted: { if $0.bytes.count == 100_000 { gate.open() } })
    let id = probe.begin(try server.url)
    _ = try await probe.head(of: id)
    probe.transport.accept(id, into: sink)
    #expect(try await probe.end(of: id).failure?.code == .tooLong)
    #expect(sink.bytes.count == 100_000)
  }

  @Test func `a data connection that stays open after the last byte does not hold the file up`()
    async throws
  {
    let gate = Gate()
    defer { gate.open() }
    let (fetched, _) = try await fetch(
      FTPBehavior(body).with { $0.hold = .init(after: 300_000, gate) }
    ) {
      $0.timeouts.idleMilliseconds = 300
    }
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
  }

  @Test func `without SIZE the reply to RETR tells the size`() async throws {
    let (fetched, _) = try await fetch(
      FTPBehavior(body).with {
        $0.size = ""
        $0.opening = "150 Opening BINARY mode data connection for file.bin (300000 bytes)."
      })
    #expect(header("Content-Length", fetched) == "300000")
    #expect(fetched.end == .complete)
  }

  @Test func `a file shorter than announced is an error`() async throws {
    let (fetched, _) = try await fetch(FTPBehavior(body).with { $0.size = "300001" })
    #expect(fetched.end.failure?.code == .truncated)
  }

  @Test(arguments: ["many", "0", "-5", "99999999999999999999999"])
  func `a size that says nothing does not matter`(size: String) async throws {
    let (fetched, _) = try await fetch(FTPBehavior(body).with { $0.size = size })
    #expect(fetched.head?.status == 200)
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
  }

  @Test func `an absurd size is an error`() async throws {
    let (fetched, _) = try await fetch(FTPBehavior(body).with { $0.size = "9223372036854775807" })
    #expect(fetched.end.failure != nil)
  }

  // MARK: Connections

  @Test(arguments: [false, true])
  func `a connection cut in the middle is an error`(isReset: Bool) async throws {
    let (fetched, _) = try await fetch(
      FTPBehavior(body).with { $0.cut = .init(after: 100_000, isReset: isReset) })
    let code = try #require(fetched.end.failure?.code)
    #expect(code == .truncated || code == .connectionLost)
  }

  @Test func `a silent end after the whole file is no error`() async throws {
    let (fetched, _) = try await fetch(FTPBehavior(body).with { $0.end = nil })
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
  }

  @Test func `a passive port that refuses is named`() async throws {
    let (fetched, server) = try await fetch(FTPBehavior(body).with { $0.data = .refused })
    #expect(fetched.head == nil)
    #expect(
      fetched.end.failure
        == TransferFailure(
          .noDataConnection, on: "127.0.0.1:\(server.port)",
          detail: "its passive port does not respond"))
  }

  @Test func `a passive port that is silent is named`() async throws {
    let hole = try BlackHole()
    let (fetched, _) = try await fetch(
      FTPBehavior(body).with { $0.data = .silent(port: hole.port) }
    ) {
      $0.timeouts.idleMilliseconds = 300
    }
    #expect(fetched.end.failure?.code == .noDataConnection)
  }

  @Test func `a server without passive mode is named`() async throws {
    let (fetched, _) = try await fetch(FTPBehavior(body).with { $0.data = .reply("500 never") })
    let failure = try #require(fetched.end.failure)
    #expect(failure.code == .noDataConnection)
    #expect(failure.detail == "500 never")
  }

  /// Otherwise a server could make Kettle connect to machines of the user's network.
  @Test func `the data connection leads to the server, whatever address it names`() async throws {
    let (fetched, _) = try await fetch(FTPBehavior(body).with { $0.data = .elsewhere })
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
  }

  // MARK: Refusals

  private func refusal(_ change: (inout FTPBehavior) -> Void) async throws -> ResponseHead? {
    try await fetch(FTPBehavior(body).with(change)) {
      $0.login = Login(user: "ann", password: "secret")
    }.fetched.head
  }

  @Test func `refusals are heads with the words of the server`() async throws {
    let full = try await refusal { $0.greeting = "421 too many connections" }
    #expect(full == ResponseHead(status: 503, serverWords: "421 too many connections"))
    let stranger = try await refusal { $0.password = "other" }
    #expect(stranger == ResponseHead(status: 401, serverWords: "530 no entry"))
    let missing = try await refusal { $0.refusal = "550 no such file" }
    #expect(missing == ResponseHead(status: 404, serverWords: "550 no such file"))
    let used = try await refusal { $0.refusal = "450 in use" }
    #expect(used == ResponseHead(status: 503, serverWords: "450 in use"))
  }

  @Test func `the login is sent`() async throws {
    let (fetched, server) = try await fetch(FTPBehavior(body).with { $0.password = "secret" }) {
      $0.login = Login(user: "ann", password: "secret")
    }
    #expect(fetched.end == .complete)
    #expect(server.commands("USER") == ["USER ann"])
  }

  @Test func `a server of something else is an error`() async throws {
    let server = try ScriptedFTPServer(FTPBehavior(body).with { $0.greeting = "999 hello" })
    let fetched = try await TransportProbe().fetch(try server.url)
    #expect(fetched.end.failure?.code == .protocolBroken)
    #expect(fetched.end.failure?.subject == "ftp://127.0.0.1:\(server.port)")
  }

  // MARK: What is not sent

  @Test(arguments: ["/dir/", "/"])
  func `a directory is not requested`(path: String) async throws {
    let server = try ScriptedFTPServer(FTPBehavior(body))
    let text = "ftp://127.0.0.1:\(server.port)"
    let root = try TransferURL.parse(text).get().url
    let probe = try TransportProbe()
    if path == "/" {
      #expect(try await probe.fetch(root).end.failure?.code == .badURL)
    } else {
      #expect(throws: TransferURLProblem.directory) { try TransferURL.parse(text + path).get() }
    }
    #expect(server.commands == [])
  }

  @Test func `an HTTP proxy is not asked`() async throws {
    let server = try ScriptedFTPServer(FTPBehavior(body))
    let rules = ProxyRules(environment: ["all_proxy": "http://127.0.0.1:1"])
    let fetched = try await TransportProbe(proxies: rules).fetch(try server.url)
    let failure = try #require(fetched.end.failure)
    #expect(failure.code == .proxyFailed)
    #expect(failure.detail?.contains("SOCKS") == true)
    #expect(server.commands == [])
  }

  @Test func `a SOCKS proxy carries both connections`() async throws {
    let server = try ScriptedFTPServer(FTPBehavior(body))
    let proxy = try StubProxy(.socks5)
    let rules = ProxyRules(environment: ["ftp_proxy": "socks5h://127.0.0.1:\(proxy.port)"])
    let fetched = try await TransportProbe(proxies: rules).fetch(try server.url)
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
    #expect(proxy.seen.count == 2)
  }

  @Test func `an address that a redirect must not reach is not connected to`() async throws {
    let (fetched, server) = try await fetch(FTPBehavior(body)) { $0.minimumReach = .world }
    #expect(fetched.end.failure?.code == .redirectRefused)
    #expect(server.commands == [])
  }

  @Test func `an authority of the user's own requires TLS`() async throws {
    let authority = try TestAuthority()
    let (fetched, server) = try await fetch(FTPBehavior(body)) {
      $0.login = Login(user: "ann", password: "secret")
      $0.caCertificatePath = authority.certificatePath
    }
    #expect(fetched.end.failure?.detail == TLSProblem.noTLSWords)
    #expect(server.commands("USER") == [])
  }

  // Fault 148
  @Test(arguments: [
    "421 Please reconnect using TLS security mechanisms.",
    "530 Non-anonymous sessions must use encryption.",
    "550 SSL/TLS required on the control channel", "530 Please use AUTH TLS first",
  ])
  func `a server that demands TLS is asked for it before the login`(words: String) async throws {
    let (fetched, server) = try await fetch(FTPBehavior(body).with { $0.user = words }) {
      $0.login = Login(user: "ann", password: "secret")
    }
    let failure = try #require(fetched.end.failure)
    #expect(failure.code == .tlsRefused)
    #expect(TLSProblem(detail: failure.detail) == .demandedTLS)
    #expect(server.commands("USER").count == 1)
    #expect(server.commands("PASS").isEmpty)
    #expect(!server.commands("AUTH").isEmpty)
  }

  @Test func `other refusals do not lead to TLS`() async throws {
    let (fetched, server) = try await fetch(
      FTPBehavior(body).with { $0.refusal = "550 ssl-tls.txt: no such file" })
    #expect(fetched.head?.status == 404)
    #expect(server.commands("AUTH").isEmpty)
  }

  // Fault 149
  @Test
  func `a netrc that is a pipe is not waited for, and the refusal says why there was no login`()
    async throws
  {
    let pipe = try OwnPipe()
    let (open, _) = try await fetch(FTPBehavior(body)) { $0.netrcPath = pipe.path }
    #expect(open.end == .complete)
    let (closed, _) = try await fetch(FTPBehavior(body).with { $0.password = "other" }) {
      $0.netrcPath = pipe.path
    }
    #expect(
      closed.head?.loginProblem
        == "the logins in \(pipe.path) were not read: it is not a regular file")
  }

  // MARK: Flow

  @Test func `no byte flows before the head is accepted, and none after a cancellation`()
    async throws
  {
    let server = try ScriptedFTPServer(FTPBehavior(body))
    let probe = try TransportProbe()
    let id = probe.begin(try server.url)
    _ = try await probe.head(of: id)
    probe.transport.cancel(id)
    #expect(try await probe.end(of: id) == .cancelled)
  }

  @Test func `a full sink pauses, and the rest follows`() async throws {
    let server = try ScriptedFTPServer(FTPBehavior(body))
    let probe = try TransportProbe()
    let sink = RecordingSink { $0.fullCount == 0 ? .full : .taken }
    let id = probe.begin(try server.url)
    _ = try await probe.head(of: id)
    probe.transport.accept(id, into: sink)
    try await sink.record.wait(for: "the pause") { $0.fullCount == 1 }
    probe.transport.resumeReceiving(id)
    #expect(try await probe.end(of: id) == .complete)
    #expect(sink.bytes.elementsEqual(body.bytes))
  }

  /// Each kind of server has its thread; the limits are common.
  @Test func `limits hold for FTP and HTTP together`() async throws {
    let server = try ScriptedFTPServer(FTPBehavior(body))
    let origin = try ScriptedOrigin()
    origin.serve(OriginBehavior(body), at: "/file")
    let probe = try TransportProbe()
    probe.transport.limitAll(toBytesPerSecond: 600_000)
    let began = ContinuousClock.now
    async let files = probe.fetch(try server.url)
    async let web = probe.fetch(try origin.url("/file")) { $0.transfer = TransferID(rawValue: 2) }
    let fetched = try await [files, web]
    #expect(fetched.map(\.end) == [.complete, .complete])
    #expect(fetched.allSatisfy { $0.bytes().elementsEqual(body.bytes) })
    // Both files at the limit take a second, minus what a bucket holds.
    #expect(ContinuousClock.now - began > .milliseconds(600))
  }

  @Test func `shutting down ends attempts of both kinds`() async throws {
    let server = try ScriptedFTPServer(FTPBehavior(body))
    let probe = try TransportProbe()
    let id = probe.begin(try server.url)
    _ = try await probe.head(of: id)
    #expect(probe.endsAfterShutDown(of: id) == [.cancelled])
    probe.begin(try server.url)
  }
}

/// A FIFO without a writer.
private final class OwnPipe {
  let path = "/tmp/kettle-pipe-\(UInt64.random(in: .min ... .max))"

  init() throws { try #require(mkfifo(path, 0o600) == 0) }

  deinit { unlink(path) }
}

/// A sink that has enough after so many bytes, like that of a range.
private final class BoundedSink: ByteSink {
  private let byteCount: Int
  private let receivedByteCount = Monitor(0)

  init(byteCount: Int) { self.byteCount = byteCount }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    receivedByteCount.update { received in
      received += bytes.count
      return received >= byteCount ? .satisfied : .taken
    }
  }
}
