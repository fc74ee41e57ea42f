import BackgroundTransfer
import Foundation
import KettleControl
import KettleModel
import KettleSystem
import Testing

struct ChallengeTests {
  /// Answers challenges of the session, or of the task, as configured.
  private final class Judge: NSObject, URLSessionTaskDelegate, Sendable {
    let disposition: URLSession.AuthChallengeDisposition
    let credential: @Sendable (URLAuthenticationChallenge) -> URLCredential?
    let methods = Mutex<[String]>([])

    init(
      _ disposition: URLSession.AuthChallengeDisposition = .useCredential,
      credential: @escaping @Sendable (URLAuthenticationChallenge) -> URLCredential? = { _ in nil }
    ) {
      self.disposition = disposition
      self.credential = credential
    }

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      methods.withLock { $0.append("session \(challenge.protectionSpace.authenticationMethod)") }
      completionHandler(disposition, credential(challenge))
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      methods.withLock { $0.append("task \(challenge.protectionSpace.authenticationMethod)") }
      completionHandler(disposition, credential(challenge))
      // A second call of the handler does nothing.
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
  }

  private func answer(
    of delegate: any URLSessionDelegate, to challenge: ServerChallenge,
    on queue: OperationQueue? = nil
  ) throws -> (ChallengeAnswer?, FakeService) {
    let service = try FakeService()
    try service.start()
    let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
    configuration.servicePaths = service.paths
    // No real service is started when this one is gone.
    configuration.serviceExecutable = "/nonexistent/kettle"
    let session = URLSession(
      configuration: configuration, delegate: delegate, delegateQueue: queue)
    session.downloadTask(with: SessionWorld.url).resume()
    _ = try service.added(1)
    try service.move(1, to: .waiting) {
      $0.reason = .needsLogin
      $0.task?.challenge = challenge
    }
    let answer = service.wait { request -> ChallengeAnswer? in
      if case .answerChallenge(let params) = request { params.answer } else { nil }
    }
    return (answer, service)
  }

  private let basic = ServerChallenge(
    kind: .basic, origin: "http://books.example:8080", realm: "r", failureCount: 2)

  private var trust: ServerChallenge {
    var challenge = ServerChallenge(
      kind: .serverTrust, origin: "https://books.example", failureCount: 0)
    challenge.certificates = [Base64Bytes([1, 2, 3])]
    challenge.serverKey = "abc"
    return challenge
  }

  @Test func `a Basic challenge calls the task method, which can answer with a login`() throws {
    let judge = Judge { challenge in
      let space = challenge.protectionSpace
      guard space.host == "books.example", space.port == 8080, space.realm == "r",
        challenge.previousFailureCount == 2
      else { return nil }
      return URLCredential(user: "u", password: "p", persistence: .forSession)
    }
    let (answer, _) = try answer(of: judge, to: basic)
    #expect(answer == .login(Login(user: "u", password: "p")))
    #expect(judge.methods.withLock { $0 } == ["task \(NSURLAuthenticationMethodHTTPBasic)"])
  }

  @Test func `a server trust challenge calls the session method, which can accept it`()
    throws
  {
    let judge = Judge { challenge in
      challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) }
    }
    let (answer, _) = try answer(of: judge, to: trust)
    #expect(answer == .trust)
    #expect(judge.methods.withLock { $0 } == ["session \(NSURLAuthenticationMethodServerTrust)"])
  }

  /// Implements only the task's method.
  private final class TaskJudge: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      completionHandler(
        .useCredential, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
    }
  }

  /// Implements only async methods.
  private actor AwaitedJudge: URLSessionTaskDelegate {
    private(set) var methods: [String] = []

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      methods.append("session")
      return (
        .useCredential, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) }
      )
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      methods.append("task")
      return (.useCredential, URLCredential(user: "u", password: "p", persistence: .forSession))
    }
  }

  @Test func `async delegate methods are called, including those of actors`() async throws {
    let judge = AwaitedJudge()
    #expect(try answer(of: judge, to: trust).0 == .trust)
    #expect(try answer(of: judge, to: basic).0 == .login(Login(user: "u", password: "p")))
    #expect(await judge.methods == ["session", "task"])
  }

  /// Suspends in its method and records where it was called.
  private final class Sleeper: NSObject, URLSessionTaskDelegate, Sendable {
    let queue: OperationQueue
    let queues = Mutex<[Bool]>([])

    init(queue: OperationQueue) { self.queue = queue }

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      note()
      await Task.yield()
      note()
      return (.cancelAuthenticationChallenge, nil)
    }

    private func note() { queues.withLock { $0.append(OperationQueue.current === queue) } }
  }

  @Test func `an async method runs on the delegate queue`() throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let sleeper = Sleeper(queue: queue)
    #expect(try answer(of: sleeper, to: trust, on: queue).0 == .cancel)
    #expect(sleeper.queues.withLock { $0 } == [true, true])
  }

  @Test func `without a session method the task method is called for server trust`() throws {
    #expect(try answer(of: TaskJudge(), to: trust).0 == .trust)
  }

  @Test func `a client certificate challenge can be answered with an identity`() throws {
    let judge = Judge { _ in
      URLCredential(
        identity: SecIdentity(certificatePath: "/c.pem", keyPath: "/k.pem", password: "x"),
        certificates: nil, persistence: .none)
    }
    let challenge = ServerChallenge(
      kind: .clientCertificate, origin: "https://books.example", failureCount: 0)
    let (answer, _) = try answer(of: judge, to: challenge)
    #expect(
      answer
        == .certificate(
          ClientCertificate(certificatePath: "/c.pem", keyPath: "/k.pem", password: "x"))
    )
  }

  @Test func `a credential of the wrong kind results in default handling`() throws {
    let judge = Judge { _ in URLCredential(user: "u", password: "p", persistence: .none) }
    #expect(try answer(of: judge, to: trust).0 == .standard)
  }

  @Test func `rejecting a challenge cancels the task`() throws {
    #expect(
      try answer(of: Judge(.cancelAuthenticationChallenge), to: basic).0 == .cancel)
  }

  @Test(arguments: [
    URLSession.AuthChallengeDisposition.performDefaultHandling, .rejectProtectionSpace,
    .useCredential,
  ]) func `a missing credential results in default handling`(
    _ disposition: URLSession.AuthChallengeDisposition
  ) throws {
    #expect(try answer(of: Judge(disposition), to: basic).0 == .standard)
  }

  @Test func `a delegate without challenge methods is no longer asked about server trust`() throws {
    let (answer, service) = try answer(of: Recorder(), to: trust)
    #expect(answer == .standard)
    let asked = service.wait { request -> Bool? in
      guard case .attachSession(let params) = request, !params.options.asksServerTrust
      else { return nil }
      return true
    }
    #expect(asked == true)
    let first = service.requests.lazy.compactMap { request -> Bool? in
      if case .attachSession(let params) = request { params.options.asksServerTrust } else { nil }
    }.first
    #expect(first == true)
  }

  @Test func `a delegate that has answered a server trust challenge is always asked`() throws {
    let judge = Judge(credential: {
      $0.protectionSpace.serverTrust.map { URLCredential(trust: $0) }
    })
    let (_, service) = try answer(of: judge, to: trust)
    let always = service.wait { request -> Bool? in
      guard case .attachSession(let params) = request, params.options.asksServerTrust,
        params.options.asksServerTrustWhenAway == nil
      else { return nil }
      return true
    }
    #expect(always == true)
    let first = service.requests.lazy.compactMap { request -> SessionOptions? in
      if case .attachSession(let params) = request { params.options } else { nil }
    }.first
    #expect(first?.asksServerTrustWhenAway == false)
  }
}
