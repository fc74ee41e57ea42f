import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Servers that respond, wait, disconnect or ask for a login while a body is being sent.
struct UploadAnswerTests {
  let origin: ScriptedOrigin
  let probe: TransportProbe
  let content = SeededBody(seed: 29, byteCount: 3_000_000)

  init() throws {
    origin = try ScriptedOrigin()
    probe = try TransportProbe()
  }

  private func send(
    _ file: UploadFile, to behaviors: [OriginBehavior],
    _ change: (inout AttemptRequest) -> Void = { _ in }
  ) async throws -> TransportProbe.Fetched {
    origin.serve(behaviors, at: "/up")
    return try await probe.fetch(origin.url("/up")) {
      $0.content = RequestContent(method: "PUT", body: file.body)
      change(&$0)
    }
  }

  private func sent() -> [Int64] {
    probe.reported.read { events in
      events.compactMap { if case .sent(_, let count) = $0 { count } else { nil } }
    }
  }

  // MARK: Progress

  @Test func `sent bytes are reported periodically and at the end`() async throws {
    let file = try UploadFile(content)
    let taking = OriginBehavior.status(201).with { $0.takenBytesPerSecond = 4_000_000 }
    let began = ContinuousClock.now
    let fetched = try await send(file, to: [taking])
    let tenths = Int((ContinuousClock.now - began) / .milliseconds(100))
    #expect(fetched.end == .complete)
    #expect(origin.requests.first?.body.elementsEqual(content.bytes) == true)
    let counts = sent()
    #expect(counts == counts.sorted())
    #expect(counts.last == content.byteCount)
    #expect(counts.count { $0 == content.byteCount } == 1)
    // Each follows the previous one after a tenth of a second, except the first and the last.
    #expect((3...tenths + 2).contains(counts.count))
    let kinds = probe.reported.read { events in
      events.map {
        switch $0 {
        case .multiplexed: "multiplexed"
        case .informed: "informed"
        case .sent: "sent"
        case .measured: "measured"
        case .addressLeft: "address left"
        case .headReceived: "head"
        case .ended: "end"
        }
      }
    }
    #expect(kinds.suffix(3) == ["sent", "head", "end"])
  }

  @Test func `a download reports no sent bytes`() async throws {
    origin.serve(OriginBehavior(content), at: "/file")
    _ = try await probe.fetch(origin.url("/file"))
    #expect(sent().isEmpty)
  }

  // MARK: Early responses

  @Test(arguments: [413, 401, 303, 500])
  func `a response that arrives before the body is sent completely is accepted`(status: Int)
    async throws
  {
    let file = try UploadFile(holeOf: 60_000_000)
    let early = OriginBehavior.status(status, text: "enough").with {
      $0.taking = .first(2_000_000, then: .answer)
    }
    let fetched = try await send(file, to: [early])
    #expect(fetched.head?.status == status)
    #expect(fetched.end == .complete)
    #expect(fetched.bytes() == Array("enough".utf8))
    #expect(sent().last.map { $0 < 60_000_000 } == true)
  }

  @Test func `a large body waits briefly for the server to accept it`() async throws {
    let file = try UploadFile(content)
    let refusal = OriginBehavior.status(413).with { $0.taking = .first(0, then: .answer) }
    let fetched = try await send(file, to: [refusal])
    #expect(fetched.head?.status == 413)
    #expect(origin.requests.first?.value(of: "Expect") == "100-continue")
    #expect(sent().isEmpty)
  }

  @Test func `a server that does not send 100 Continue gets the body anyway`() async throws {
    let file = try UploadFile(content)
    let fetched = try await send(file, to: [.status(201).with { $0.answersExpect = false }])
    #expect(fetched.head?.status == 201)
    #expect(origin.requests.first?.body.elementsEqual(content.bytes) == true)
  }

  @Test func `a request is repeated without Expect for a server that rejects it`() async throws {
    let file = try UploadFile(content)
    let refusal = OriginBehavior.status(417, text: "What?").with {
      $0.taking = .first(0, then: .answer)
    }
    let fetched = try await send(file, to: [refusal, .status(201, text: "thanks")])
    #expect(fetched.head?.status == 201)
    #expect(fetched.end == .complete)
    #expect(fetched.bytes() == Array("thanks".utf8))
    #expect(origin.requests.map { $0.value(of: "Expect") } == ["100-continue", nil])
    #expect(origin.requests.last?.body.elementsEqual(content.bytes) == true)
  }

  // MARK: Logins

  @Test(
    arguments: [OriginBehavior.LoginScheme.basic, .digest],
    [OriginBehavior.Taking.whole, .first(0, then: .answer), .first(100_000, then: .answer)])
  func `a body is sent again from its beginning for a login`(
    scheme: OriginBehavior.LoginScheme, refused: OriginBehavior.Taking
  ) async throws {
    // Small enough to be sent without Expect.
    let small = SeededBody(seed: 31, byteCount: 900_000)
    let login = Login(user: "me", password: "secret")
    let guarded = OriginBehavior.status(201, text: "thanks").with {
      $0.login = login
      $0.loginScheme = scheme
      $0.takingWithoutLogin = refused
    }
    let fetched = try await send(UploadFile(small), to: [guarded]) { $0.login = login }
    #expect(fetched.head?.status == 201)
    #expect(fetched.end == .complete)
    #expect(fetched.bytes() == Array("thanks".utf8))
    #expect(origin.requests.last?.body.elementsEqual(small.bytes) == true)
    #expect(sent().last == small.byteCount)
  }

  @Test(arguments: [
    (OriginBehavior.LoginScheme.basic, ServerChallenge.Kind.basic, [900_000]),
    (.digest, .digest, [0, 900_000]),
  ])
  func `a body is sent once if the login scheme is known`(
    scheme: OriginBehavior.LoginScheme, known: ServerChallenge.Kind, byteCounts: [Int]
  ) async throws {
    let small = SeededBody(seed: 31, byteCount: 900_000)
    let login = Login(user: "me", password: "secret")
    let guarded = OriginBehavior.status(201).with {
      $0.login = login
      $0.loginScheme = scheme
    }
    let fetched = try await send(UploadFile(small), to: [guarded]) {
      $0.login = login
      $0.loginScheme = known
    }
    #expect(fetched.head?.status == 201)
    #expect(origin.requests.map(\.body.count) == byteCounts)
    #expect(sent().last == small.byteCount)
  }

  @Test func `a server that changes its login scheme ends the attempt with a 401`() async throws {
    let guarded = OriginBehavior.status(201).with {
      $0.login = Login(user: "me", password: "secret")
      $0.loginScheme = .digest
    }
    let file = try UploadFile(SeededBody(seed: 31, byteCount: 90_000))
    let fetched = try await send(file, to: [guarded]) {
      $0.login = Login(user: "me", password: "secret")
      $0.loginScheme = .basic
    }
    #expect(fetched.head?.status == 401)
    #expect(origin.requests.count == 1)
  }

  @Test func `a wrong login ends with a 401`() async throws {
    let guarded = OriginBehavior.status(201).with {
      $0.login = Login(user: "me", password: "secret")
      $0.loginScheme = .digest
    }
    let file = try UploadFile(SeededBody(seed: 31, byteCount: 90_000))
    let fetched = try await send(file, to: [guarded]) {
      $0.login = Login(user: "me", password: "wrong")
    }
    #expect(fetched.head?.status == 401)
    #expect(fetched.end == .complete)
  }

  // MARK: Lost connections and silence

  @Test(arguments: [OriginBehavior.Cut.fin, .reset])
  func `a connection that is cut while a body is sent is lost`(
    cut: OriginBehavior.Cut
  ) async throws {
    let file = try UploadFile(holeOf: 60_000_000)
    let fetched = try await send(
      file, to: [.status(201).with { $0.taking = .first(2_000_000, then: .cut(cut)) }])
    #expect(fetched.head == nil)
    #expect(fetched.end.failure?.code == .connectionLost)
  }

  @Test func `a body that the server does not accept times out`() async throws {
    let file = try UploadFile(holeOf: 60_000_000)
    let stopping = OriginBehavior.status(201).with {
      $0.taking = .first(1000, then: .wait(until: "never"))
    }
    let end = try await send(file, to: [stopping]) { $0.timeouts.idleMilliseconds = 300 }.end
    #expect(
      end
        == .failed(
          TransferFailure(
            .timedOut, on: "127.0.0.1:\(origin.port)",
            detail: "it accepted no data for 300 milliseconds")))
  }

  @Test func `a body that is sent slowly does not time out`() async throws {
    // The kernel accepts most of it immediately and buffers it.
    let origin = try ScriptedOrigin(receiveBufferByteCount: 64 * 1024)
    origin.serve(.status(201).with { $0.takenBytesPerSecond = 1_200_000 }, at: "/up")
    let file = try UploadFile(content)
    let fetched = try await probe.fetch(origin.url("/up")) {
      $0.content = RequestContent(method: "PUT", body: file.body)
      $0.timeouts.idleMilliseconds = 1400
      $0.timeouts.headMilliseconds = 1400
      $0.timeouts.slowMilliseconds = 300
      $0.timeouts.slowByteCount = 1000
    }
    #expect(fetched.head?.status == 201)
    #expect(fetched.end == .complete)
  }

  @Test func `a server that accepts everything and does not respond times out`() async throws {
    let file = try UploadFile(SeededBody(seed: 3, byteCount: 50_000))
    let silent = OriginBehavior.status(201).with { $0.headWaitsFor = "never" }
    let end = try await send(file, to: [silent]) { $0.timeouts.idleMilliseconds = 300 }.end
    #expect(end.failure?.code == .timedOut)
    #expect(end.failure?.detail == "no data arrived for 300 milliseconds")
  }

  @Test func `an upload that is cancelled ends at once`() async throws {
    let file = try UploadFile(holeOf: 60_000_000)
    origin.serve(
      .status(201).with { $0.taking = .first(1000, then: .wait(until: "never")) }, at: "/up")
    let id = probe.begin(try origin.url("/up")) {
      $0.content = RequestContent(method: "PUT", body: file.body)
    }
    try await origin.waitForBodyBytes(1000, at: "/up")
    probe.transport.cancel(id)
    #expect(try await probe.end(of: id) == .cancelled)
  }

  @Test func `a closed kept-alive connection is replaced before a body is sent`() async throws {
    let file = try UploadFile(SeededBody(seed: 3, byteCount: 50_000))
    #expect(try await send(file, to: [.status(201)]).end == .complete)
    origin.cutConnections(.fin)
    #expect(try await send(file, to: [.status(201)]).end == .complete)
    let content = SeededBody(seed: 3, byteCount: 50_000).bytes
    #expect(origin.requests.last?.body.elementsEqual(content) == true)
  }
}
