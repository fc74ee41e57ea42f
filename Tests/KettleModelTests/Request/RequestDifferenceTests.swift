import KettleModel
import Testing

/// What a new request asks of a transfer on the list.
struct RequestDifferenceTests {
  private func spec(_ change: (inout TransferSpec) -> Void = { _ in }) throws -> TransferSpec {
    var spec = TransferSpec(url: try TransferURL.parse("https://example.org/a.iso").get().url)
    change(&spec)
    return spec
  }

  private func labels(_ value: Any) -> Set<String> {
    Set(Mirror(reflecting: value).children.compactMap(\.label))
  }

  // Fault 183
  @Test func `every property of a request is a part of it`() throws {
    let spec = try spec()
    let properties = labels(spec).union(labels(spec.options))
    var parts = Set(RequestPart.allCases.map(\.rawValue))
    #expect(parts.remove("url") != nil)
    #expect(properties == parts.union(["source", "options", "described", "repairs", "member"]))
  }

  /// A request that asks for something in each part that a command can ask for.
  private func everything() throws -> TransferSpec {
    let other = try TransferURL.parse("https://b.example/a.iso").get().url
    return try spec { spec in
      spec.title = "T"
      spec.connections = 3
      spec.headers = [HeaderField(name: "A", value: "b")].compactMap(\.self)
      spec.login = Login(user: "u", password: "p")
      spec.checksum = Checksum(algorithm: .md5, hex: String(repeating: "0", count: 32))
      spec.caCertificatePath = "/ca.pem"
      spec.limitBytesPerSecond = 7
      spec.notBefore = WallTime(millisecondsSince1970: 5)
      spec.priority = .high
      spec.onConflict = .skip
      spec.options.silenceSeconds = 1
      spec.options.connectSeconds = 2
      spec.options.attemptsMax = 3
      spec.options.retryDelaySeconds = 4
      spec.options.proxy = .direct
      spec.options.cookies = [
        Cookie(name: "n", value: "v", domain: "example.org")
      ]
      spec.options.certificate = ClientCertificate(certificatePath: "/c", keyPath: "/k")
      spec.options.usesNetrc = false
      spec.options.keepsServerTime = true
      spec.options.mirrors = [other]
      spec.options.unpacks = true
      spec.options.continues = true
      spec.options.isAsIs = true
      spec.options.variant = PlaylistVariant(rawValue: "smallest")
      spec.options.queue = QueueName("night")
      spec.options.then = try? HookCommand.make(["true"]).get()
      spec.options.store = ObjectStoreAccess(region: "eu-west-1")
      spec.options.page = DownloadPage(other, byteCount: 9)
    }
  }

  @Test func `everything that is asked is a difference, and is taken over as a whole`() throws {
    let asked = try everything()
    let difference = RequestDifference(from: try spec(), at: nil, to: asked)
    let left = Set(RequestPart.allCases).subtracting(difference.parts).filter {
      $0.reach != .implied && $0.reach != .never
    }
    // Both at once are refused by the commands.
    #expect(left == [.trustedServers, .checksumURL])
    #expect(difference.applied(to: try spec()) == asked)
    #expect(RequestDifference(from: asked, at: nil, to: asked).isEmpty)
  }

  @Test func `what nobody asks for is no difference`() throws {
    #expect(RequestDifference(from: try everything(), at: nil, to: try spec()).isEmpty)
  }

  @Test func `the standard value is asked for only when it was chosen`() throws {
    let stored = try spec { $0.priority = .high }
    #expect(RequestDifference(from: stored, at: nil, to: try spec()).isEmpty)
    let chosen = try spec { $0.options.chosen = [.priority] }
    let difference = RequestDifference(from: stored, at: nil, to: chosen)
    #expect(difference.parts == [.priority])
    #expect(difference.applied(to: stored).priority == .normal)
  }

  @Test func `another place means another file, and the place of the file does not`() throws {
    let stored = try spec { $0.directory = "/d" }
    let elsewhere = try spec { $0.directory = "/e" }
    #expect(RequestDifference(from: stored, at: "/d/a.iso", to: elsewhere).isForAnotherFile)
    let name = try FileName(typed: "a.iso")
    let named = try spec { ($0.directory, $0.name) = ("/d", name) }
    #expect(RequestDifference(from: stored, at: "/d/a.iso", to: named).isEmpty)
    #expect(RequestDifference(from: stored, at: nil, to: named).isForAnotherFile)
  }

  @Test func `a complete transfer takes over its title and its checksum only`() throws {
    let difference = RequestDifference(from: try spec(), at: nil, to: try everything())
    let rest = Set(difference.parts).subtracting(difference.parts(tooLateAt: .complete))
    // What is complete has nothing left to continue.
    #expect(rest == [.title, .checksum, .continues])
    #expect(difference.parts(tooLateAt: .standing(hasBytes: false)).isEmpty)
    #expect(difference.parts(tooLateAt: .underWay(hasBytes: false)) == [.notBefore])
    #expect(
      Set(difference.parts(tooLateAt: .standing(hasBytes: true))) == [.unpacks, .isAsIs, .variant])
  }
}
