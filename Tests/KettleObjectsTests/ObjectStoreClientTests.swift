import KettleEngine
import KettleModel
import KettleSystem
import TestSupport
import Testing

@testable import KettleObjects

/// Conversations with an object store that lies.
struct ObjectStoreClientTests {
  private static let path = "/home/u/Downloads/a.iso.part"
  private static let key = "raw/a.iso"
  private static let object = "s3://data/" + key

  private let store = ScriptedStore()
  private let access = ObjectStoreAccess(
    endpoint: ObjectStoreAccess.endpoint("http://s3.example:9000/"),
    keys: .given(
      Login(user: "KEY", password: "secret", signing: Login.Signing(region: "us-east-1"))))

  private func client(
    settings: ObjectStoreAccess = ObjectStoreAccess(), environment: [String: String] = [:],
    files: [String: String] = [:]
  ) -> ObjectStoreClient {
    let store = store
    return ObjectStoreClient(
      ObjectStoreClient.Ports(
        makeTransport: { events in
          store.connect(events)
          return store
        },
        digest: { path, range throws(TransferFailure) in try store.digest(path, range) },
        digestOfBytes: { ScriptedStore.digest($0) }, read: { files[$0] },
        settings: { settings }, environment: environment, clock: SystemEngineClock()),
      pauseMilliseconds: 1)
  }

  /// A file of these bytes, for which the store begins an upload in parts of four bytes.
  private func file(
    _ text: String, inParts: Bool = true, _ policy: ConflictPolicy = .rename,
    hasChecksums: Bool = true
  ) throws -> FileToStore {
    let bytes = Array(text.utf8)
    store.write(bytes, to: Self.path)
    let prefix = try #require(ObjectPrefix("s3://data/raw"))
    var file = FileToStore(
      transfer: TransferID(rawValue: 3), destination: ObjectDestination(prefix, access),
      name: "a.iso", path: Self.path, byteCount: Int64(bytes.count), modifiedNanoseconds: 5,
      onConflict: policy)
    guard inParts else { return file }
    if !hasChecksums { store.keepNoChecksums() }
    var upload = try client().begin(file)
    upload.partByteCount = 4
    file.upload = upload
    return file
  }

  private func send(_ file: FileToStore, _ client: ObjectStoreClient? = nil) throws {
    let upload = try #require(file.upload)
    try (client ?? self.client()).send(file, as: upload) { _ in true }
  }

  private func failure(_ body: () throws -> Void) -> TransferFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? TransferFailure
    }
  }

  private func stored(_ key: String = Self.key) -> String? {
    store.objects[key].map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test func `a store that ignores conditions is noticed`() throws {
    let prefix = try #require(ObjectPrefix("s3://data/raw"))
    let destination = ObjectDestination(prefix, access)
    #expect(try client().createsOnly(".probe", in: destination))
    #expect(try client().createsOnly(".probe", in: destination))
    #expect(stored("raw/.probe") == "")
    store.fail(.put, .refusal(403, "AccessDenied"))
    #expect(
      failure { _ = try client().createsOnly(".probe", in: destination) }?.code == .storeRefused)
    store.ignoreConditions()
    #expect(try !client().createsOnly(".probe", in: destination))
  }

  // MARK: Parts

  @Test func `a file is sent in parts and becomes one object`() throws {
    let file = try file("abcdefghij")
    let seen = Mutex<[Int64]>([])
    try client().send(file, as: try #require(file.upload)) { byteCount in
      seen.withLock { $0.append(byteCount) }
      return true
    }
    #expect(seen.withLock { $0.last } == 10)
    #expect(store.objects.isEmpty)
    let finished = try client().publish(file)
    #expect(finished.path == Self.object)
    #expect(finished.object == StoredObject(byteCount: 10, entityTag: "\"e\""))
    #expect(stored() == "abcdefghij")
    #expect(store.count(.part) == 3)
    #expect(store.uploadIDs.isEmpty)
  }

  @Test func `only what the store lacks is sent again`() throws {
    let file = try file("abcdefghijklmnop")
    store.fail(.part, .refusal(403, "AccessDenied"))
    #expect(failure { try send(file) }?.code == .storeRefused)
    let before = store.count(.part)
    try send(file)
    #expect(store.count(.part) - before < 4)
    _ = try client().publish(file)
    #expect(stored() == "abcdefghijklmnop")
  }

  @Test(
    arguments: [
      .refusal(500, "InternalError"), .refusal(503, "SlowDown"), .lostRequest, .lostAnswer,
      .refusal(400, "RequestTimeout"), .refusal(400, "XAmzContentSHA256Mismatch"),
    ] as [ScriptedStore.Fault])
  func `what may pass is tried again`(_ fault: ScriptedStore.Fault) throws {
    let file = try file("abcdefghij")
    store.fail(.part, fault, fault)
    store.fail(.list, fault)
    store.fail(.complete, fault)
    try send(file)
    _ = try client().publish(file)
    #expect(stored() == "abcdefghij")
  }

  @Test func `a store that stays overloaded is left after a few attempts`() throws {
    let file = try file("abcdefghij")
    for _ in 0..<30 { store.fail(.part, .refusal(503, "SlowDown")) }
    let failure = failure { try send(file) }
    #expect(failure?.code == .storeUnavailable)
    #expect(failure?.subject == Self.object)
    #expect(failure?.detail == "503 SlowDown no")
    #expect(store.count(.part) <= 3 * PartSending.attemptCountMax)
  }

  @Test func `a part that the store has changed is sent again`() throws {
    let file = try file("abcdefghij")
    store.fail(.part, .lie)
    try send(file)
    _ = try client().publish(file)
    #expect(stored() == "abcdefghij")
    #expect(store.count(.part) == 4)
  }

  @Test func `a store that changes every part is given up`() throws {
    let file = try file("abcdefghij")
    for _ in 0..<30 { store.fail(.part, .lie) }
    #expect(failure { try send(file) }?.code == .storeUnavailable)
    #expect(store.objects.isEmpty)
  }

  @Test func `a part of another size is sent again where the store keeps no digests`() throws {
    let file = try file("abcdefghij", hasChecksums: false)
    #expect(file.upload?.hasChecksums == false)
    try send(file)
    store.fail(.list, .lie)
    try send(file)
    #expect(store.count(.part) == 6)
  }

  @Test func `lists of many parts have pages`() throws {
    let file = try file(String(repeating: "abcd", count: 25))
    store.setPageCount(10)
    try send(file)
    _ = try client().publish(file)
    #expect(stored() == String(repeating: "abcd", count: 25))
    #expect(store.count(.part) == 25)
    #expect(store.partsUnderWayMax <= 4)
  }

  @Test func `an upload that the store does not know is gone`() throws {
    let file = try file("abcdefghij")
    store.forgetUploads()
    #expect(failure { try send(file) }?.code == .uploadGone)
    #expect(failure { _ = try client().publish(file) }?.code == .uploadGone)
  }

  @Test func `a file that was changed meanwhile is noticed`() throws {
    let file = try file("abcdefghij")
    store.write(Array("abc".utf8), to: Self.path)
    #expect(failure { try send(file) }?.code == .partialFileChanged)
  }

  @Test func `sending stops when it is asked to`() throws {
    let file = try file("abcdefghij")
    let upload = try #require(file.upload)
    let failure = failure { try client().send(file, as: upload) { _ in false } }
    #expect(failure?.code == .cancelled)
  }

  @Test func `an upload is aborted, also when the store has forgotten it`() throws {
    let file = try file("abcdefghij")
    let upload = try #require(file.upload)
    try client().abort(upload, in: file.destination)
    #expect(store.uploadIDs.isEmpty)
    try client().abort(upload, in: file.destination)
  }

  @Test func `an upload is aborted until the store does not list it any more`() throws {
    let file = try file("abcdefghij")
    // Parts that were under way come after the first abort.
    store.fail(.abort, .lie, .lie)
    try client().abort(try #require(file.upload), in: file.destination)
    #expect(store.uploadIDs.isEmpty)
    #expect(store.count(.abort) == 3)
  }

  @Test func `parts that are missing when the file is published are sent anew`() throws {
    let file = try file("abcdefghij")
    #expect(failure { _ = try client().publish(file) }?.code == .uploadGone)
    #expect(store.uploadIDs.isEmpty)
  }

  // MARK: The moment of publication

  @Test func `a store that loses the mark on the way has stored the file all the same`() throws {
    for _ in 0..<4 { store.fail(.head, .lie) }
    #expect(try client().publish(try file("abc", inParts: false)).path == Self.object)
    let large = try file("abcdefghij", .replace)
    try send(large)
    #expect(try client().publish(large).path == Self.object)
    #expect(store.objects.count == 1)
  }

  @Test func `a store without conditional writes does not overwrite what was there before`() throws
  {
    store.ignoreConditions()
    store.put([1], at: Self.key)
    let file = try file("abc", inParts: false)
    #expect(try client().publish(file).path == "s3://data/raw/a (2).iso")
    #expect(store.objects[Self.key]?.bytes == [1])
  }

  @Test func `a large file whose name is taken fails if the key may not look for a free one`()
    throws
  {
    store.put([1], at: Self.key)
    for _ in 0..<10 { store.fail(.head, .refusal(403, "AccessDenied")) }
    let file = try file("abcdefghij")
    try send(file)
    #expect(failure { _ = try client().publish(file) }?.code == .nameTaken)
    #expect(store.objects[Self.key]?.bytes == [1])
  }

  @Test func `a lost answer to the completion is made up for`() throws {
    let file = try file("abcdefghij")
    try send(file)
    store.fail(.complete, .lostAnswer)
    #expect(try client().publish(file).path == Self.object)
    #expect(store.count(.complete) == 1)
  }

  @Test func `a completion that ends with an error after 200 is repeated`() throws {
    let file = try file("abcdefghij")
    try send(file)
    store.fail(.complete, .errorInSuccess("InternalError"))
    _ = try client().publish(file)
    #expect(store.count(.complete) == 2)
    #expect(stored() == "abcdefghij")
  }

  @Test func `a publication that a crash has interrupted is recognized`() throws {
    let file = try file("abcdefghij")
    try send(file)
    let first = try client().publish(file)
    #expect(try client().publish(file) == first)
  }

  @Test func `an object of somebody else is not overwritten`() throws {
    let file = try file("abcdefghij")
    try send(file)
    store.put([1], at: Self.key)
    // Another upload begins, under another name.
    #expect(failure { _ = try client().publish(file) }?.code == .uploadGone)
    #expect(store.objects[Self.key]?.bytes == [1])
    #expect(store.uploadIDs.isEmpty)
    var again = file
    again.upload = nil
    #expect(try client().begin(again).key == "raw/a (2).iso")
  }

  @Test func `an object is replaced if the user wants that`() throws {
    store.put([1], at: Self.key)
    let file = try file("abcdefghij", .replace)
    #expect(file.upload?.key == Self.key)
    try send(file)
    _ = try client().publish(file)
    #expect(stored() == "abcdefghij")
  }

  @Test func `an object that is to be kept is named`() throws {
    store.put([1], at: Self.key)
    let failure = failure { _ = try file("abcdefghij", .skip) }
    #expect(failure == TransferFailure(.nameTaken, on: Self.object))
    let small = try file("abc", inParts: false, .skip)
    #expect(
      self.failure { _ = try client().publish(small) }
        == TransferFailure(.nameTaken, on: Self.object))
    #expect(store.objects[Self.key]?.bytes == [1])
  }

  // MARK: Small files

  @Test func `a small file is one request that creates only`() throws {
    let file = try file("abc", inParts: false)
    let finished = try client().publish(file)
    #expect(finished.path == Self.object)
    #expect(stored() == "abc")
    #expect(store.count(.put) == 1)
    let headers = try #require(store.requests(.put).first?.headers)
    #expect(headers.contains { $0.name == "If-None-Match" && $0.value == "*" })
  }

  @Test func `an empty file becomes an empty object`() throws {
    _ = try client().publish(try file("", inParts: false))
    #expect(stored() == "")
  }

  @Test(
    arguments: [.lostAnswer, .refusal(409, "ConditionalRequestConflict")]
      as [ScriptedStore.Fault])
  func `a small file is stored once whatever becomes of the answer`(
    _ fault: ScriptedStore.Fault
  ) throws {
    store.fail(.put, fault)
    #expect(try client().publish(try file("abc", inParts: false)).path == Self.object)
    #expect(store.objects.count == 1)
    #expect(stored() == "abc")
  }

  @Test func `a small file gets a number beside another object and not beside itself`() throws {
    store.put([1], at: Self.key)
    let file = try file("abc", inParts: false)
    #expect(try client().publish(file).path == "s3://data/raw/a (2).iso")
    #expect(try client().publish(file).path == "s3://data/raw/a (2).iso")
    #expect(store.objects[Self.key]?.bytes == [1])
    #expect(store.objects.count == 2)
  }

  @Test func `a key that may write and not read is enough`() throws {
    for _ in 0..<10 { store.fail(.head, .refusal(403, "AccessDenied")) }
    #expect(try client().publish(try file("abc", inParts: false)).object?.entityTag == "\"e\"")
    #expect(stored() == "abc")
    let large = try file("abcdefghij", .replace)
    try send(large)
    #expect(try client().publish(large).object?.entityTag == "\"e-2\"")
    #expect(stored() == "abcdefghij")
  }

  @Test func `an object is what it was while its size and ETag are`() throws {
    let file = try file("abc", inParts: false)
    let object = try #require(try client().publish(file).object)
    func standing(_ object: StoredObject) throws -> FinishedFileStanding {
      try client().standing(of: object, named: "a.iso", in: file.destination)
    }
    #expect(try standing(object) == .unchanged)
    #expect(try standing(StoredObject(byteCount: 3, entityTag: "\"other\"")) == .changed)
    #expect(try standing(StoredObject(byteCount: 4, entityTag: "\"e\"")) == .changed)
    store.remove(Self.key)
    #expect(try standing(object) == .missing)
    store.fail(.head, .refusal(403, "AccessDenied"))
    #expect(failure { _ = try standing(object) }?.code == .storeRefused)
  }

  // MARK: Keys and places

  @Test func `keys are read again when they have expired`() throws {
    let read = Mutex(0)
    let store = store
    let client = ObjectStoreClient(
      ObjectStoreClient.Ports(
        makeTransport: { events in
          store.connect(events)
          return store
        },
        digest: { path, range throws(TransferFailure) in try store.digest(path, range) },
        digestOfBytes: { ScriptedStore.digest($0) },
        read: { path in
          guard path.hasSuffix("credentials") else { return nil }
          let user = read.withLock { count in
            count += 1
            return count == 1 ? "OLD" : "NEW"
          }
          return "[default]\naws_access_key_id=\(user)\naws_secret_access_key=s\n"
        },
        settings: { ObjectStoreAccess() }, environment: ["HOME": "/home/u"],
        clock: SystemEngineClock()),
      pauseMilliseconds: 1)
    var file = try file("abc", inParts: false)
    file.destination.access.keys = nil
    _ = try client.publish(file)
    #expect(stored() == "abc")
    #expect(store.requests(.put).map { $0.login?.user } == ["OLD", "NEW"])
  }

  @Test func `given keys that have expired fail with the words of the store`() throws {
    var file = try file("abc", inParts: false)
    file.destination.access.keys = .given(
      Login(user: "OLD", password: "s", signing: Login.Signing(region: "us-east-1")))
    let failure = failure { _ = try client().publish(file) }
    #expect(failure?.code == .storeRefused)
    #expect(failure?.detail == "403 ExpiredToken no")
    #expect(store.count(.put) == 1)
  }

  @Test func `without a key nothing is sent and the failure says where one is looked for`() throws {
    var file = try file("abc", inParts: false)
    file.destination.access.keys = nil
    let failure = failure { _ = try client(environment: ["HOME": "/home/u"]).publish(file) }
    #expect(failure?.code == .storeRefused)
    #expect(failure?.detail?.contains("/home/u/.aws/credentials") == true)
    #expect(store.count(.put) == 0)
  }

  @Test func `a container's service that is away is waited for`() throws {
    var file = try file("abc", inParts: false)
    file.destination.access.keys = nil
    store.fail(.keys, .refusal(503, "SlowDown"))
    let environment = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "https://keys.example/role"]
    let failure = failure { _ = try client(environment: environment).publish(file) }
    #expect(failure?.code == .storeUnavailable)
  }

  @Test func `a key of the environment uses the region and the endpoint of the profile`() throws {
    var file = try file("abc", inParts: false)
    file.destination.access.endpoint = nil
    let profile = "[default]\nregion = eu-west-2\nendpoint_url = http://minio.example\n"
    _ = try client(environment: ["HOME": "/h"], files: ["/h/.aws/config": profile]).publish(file)
    let request = try #require(store.requests(.put).first)
    #expect(request.url.host == "minio.example")
    #expect(request.login?.signing?.region == "eu-west-2")
  }

  @Test func `a container is asked for its keys`() throws {
    var file = try file("abc", inParts: false)
    file.destination.access.keys = nil
    let environment = [
      "AWS_CONTAINER_CREDENTIALS_FULL_URI": "https://keys.example/role",
      "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/run/token",
    ]
    _ = try client(environment: environment, files: ["/run/token": "Bearer x\n"]).publish(file)
    let asked = try #require(store.requests(.keys).first)
    #expect(asked.headers == [HeaderField(name: "Authorization", value: "Bearer x")])
    let login = try #require(store.requests(.put).first?.login)
    #expect(login.user == "KEY" && login.signing?.sessionToken == "t")
  }

  @Test func `a region that the store names is used from then on`() throws {
    let file = try file("abc", inParts: false)
    store.fail(
      .put, .refusal(400, "AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>"))
    _ = try client().publish(file)
    #expect(
      store.requests(.put).map { $0.login?.signing?.region } == ["us-east-1", "eu-west-1"])
    #expect(stored() == "abc")
  }

  @Test func `what a transfer does not say comes from the settings`() throws {
    var file = try file("abc", inParts: false)
    file.destination.access = ObjectStoreAccess()
    _ = try client(settings: access).publish(file)
    #expect(store.requests(.put).first?.url.text == "http://s3.example:9000/data/raw/a.iso")
  }
}

/// The clock of the system, which wakes nobody.
private struct SystemEngineClock: EngineClock {
  func now() -> Moment { .now() }

  func wake(at deadline: MonotonicTime?, _ wake: @escaping @Sendable () -> Void) {}
}
