import FoundationEssentials
import KettleEngine
import KettleModel
import KettleSystem

/// Object stores with the protocol of S3.
///
/// Requests are signed by libcurl with the SHA-256 of their body, so that a store refuses bytes
/// that were damaged on the way. Where it keeps the digests of the parts, these are compared again
/// before the parts become an object.
package final class ObjectStoreClient: ObjectStore {
  /// What the client needs of its surroundings.
  package struct Ports: Sendable {
    /// Makes the transport with the function that receives its events.
    package var makeTransport: TransferEngine.Ports.TransportMaker
    /// Returns the SHA-256 of a part of a file. Throws `partialFileChanged` if it has no such part.
    package var digest: @Sendable (_ path: String, ByteRange) throws(TransferFailure) -> [UInt8]
    /// Returns the SHA-256 of bytes; nil if no library computes it.
    package var digestOfBytes: @Sendable ([UInt8]) -> [UInt8]?
    /// Returns the text of a small file; nil if it cannot be read.
    package var read: @Sendable (_ path: String) -> String?
    /// Returns what the user has set for all object stores.
    package var settings: @Sendable () -> ObjectStoreAccess
    /// The environment of the service. It locates the AWS profile files and the endpoint that
    /// gives credentials to a container.
    package var environment: [String: String]
    package var clock: any EngineClock
    package var random: @Sendable () -> UInt64

    package init(
      makeTransport: @escaping TransferEngine.Ports.TransportMaker,
      digest: @escaping @Sendable (String, ByteRange) throws(TransferFailure) -> [UInt8],
      digestOfBytes: @escaping @Sendable ([UInt8]) -> [UInt8]?,
      read: @escaping @Sendable (String) -> String?,
      settings: @escaping @Sendable () -> ObjectStoreAccess, environment: [String: String],
      clock: any EngineClock, random: @escaping @Sendable () -> UInt64 = { .random(in: 0 ... .max) }
    ) {
      self.makeTransport = makeTransport
      self.digest = digest
      self.digestOfBytes = digestOfBytes
      self.read = read
      self.settings = settings
      self.environment = environment
      self.clock = clock
      self.random = random
    }
  }

  let ports: Ports
  let exchanges: StoreExchanges
  /// The first pause before a request is repeated.
  let pauseMilliseconds: Int64
  /// The regions that stores have named for buckets.
  private let regions = Mutex<[TransferURL: String]>([:])

  package init(_ ports: Ports, pauseMilliseconds: Int64 = 1000) {
    self.ports = ports
    self.pauseMilliseconds = pauseMilliseconds
    exchanges = StoreExchanges(ports.makeTransport)
  }

  // MARK: The port

  package func exists(
    _ name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> Bool {
    let key = try key(of: name, in: destination)
    return switch try head(StoreConversation(self, destination, key: key)) {
    case .found: true
    case .nothing, .untold: false
    }
  }

  package func standing(
    of object: StoredObject, named name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> FinishedFileStanding {
    let key = try key(of: name, in: destination)
    let conversation = try StoreConversation(self, destination, key: key)
    switch try head(conversation) {
    case .found(let head):
      let byteCount = head.value(of: "Content-Length").flatMap { DecimalDigits.int64($0[...]) }
      let tag = head.value(of: "ETag")
      let isSame =
        byteCount ?? object.byteCount == object.byteCount
        && (tag == nil || object.entityTag == nil || tag == object.entityTag)
      return isSame ? .unchanged : .changed
    case .nothing: return .missing
    case .untold:
      throw TransferFailure(
        .storeRefused, on: conversation.object, detail: "the key may not look at it")
    }
  }

  package func carries(
    _ mark: String, _ name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> Bool {
    let key = try key(of: name, in: destination)
    switch try head(StoreConversation(self, destination, key: key)) {
    case .found(let head): return head.value(of: StoreRequest.markName) == mark
    case .nothing, .untold: return false
    }
  }

  package func createsOnly(
    _ name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> Bool {
    let key = try key(of: name, in: destination)
    let conversation = try StoreConversation(self, destination, key: key)
    // The first request may create the object; the second one must not.
    for _ in 0..<2 {
      let verdict = try conversation.perform(.probe(key))
      switch verdict {
      case .done: continue
      case .taken: return true
      case .notFound, .uploadGone, .again, .keysExpired, .otherRegion, .refused:
        throw conversation.failure(of: verdict)
      }
    }
    return false
  }

  package func begin(_ file: FileToStore) throws(TransferFailure) -> ObjectUpload {
    let name = try freeName(for: file)
    let key = try key(of: name, in: file.destination)
    let conversation = try StoreConversation(self, file.destination, key: key)
    let mark = file.mark ?? "\(String(ports.random(), radix: 16))-\(file.transfer.rawValue)"
    for hasChecksums in [true, false] {
      let request = StoreRequest.create(
        key, mark: mark, mediaType: file.mediaType, hasChecksums: hasChecksums)
      switch try conversation.perform(request) {
      case .done(let document):
        guard let uploadID = document.value("UploadId"), uploadID.utf8.count <= 1024 else {
          throw conversation.contradiction("it began an upload without an id")
        }
        return ObjectUpload(
          key: key, uploadID: uploadID,
          partByteCount: PartSending.Layout.partByteCount(ofFile: file.byteCount), mark: mark,
          hasChecksums: hasChecksums)
      // A store that knows no digests may refuse the header that asks for them.
      case .refused where hasChecksums: continue
      case let verdict: throw conversation.failure(of: verdict)
      }
    }
    throw conversation.contradiction("it began no upload")
  }

  package func send(
    _ file: FileToStore, as upload: ObjectUpload, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) {
    var sending = try PartUpload(of: file, as: upload, by: self)
    try sending.run(advance: advance)
  }

  package func publish(_ file: FileToStore) throws(TransferFailure) -> FinishedFile {
    try Publication(of: file, by: self).run()
  }

  /// Parts that were under way when an upload was aborted may be stored all the same
  /// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html), so it is
  /// aborted until the store does not know it any more.
  package func abort(
    _ upload: ObjectUpload, in destination: ObjectDestination
  ) throws(TransferFailure) {
    let conversation = try StoreConversation(self, destination, key: upload.key)
    for attempt in 1...Self.abortCountMax {
      switch try conversation.perform(.abort(upload)) {
      case .done: break
      case .notFound, .uploadGone: return
      case let verdict: throw conversation.failure(of: verdict)
      }
      switch try conversation.perform(.list(upload, after: 0)) {
      case .notFound, .uploadGone, .refused: return
      case .done, .taken, .again, .keysExpired, .otherRegion: conversation.pause(before: attempt)
      }
    }
    throw conversation.contradiction("it still lists the aborted upload")
  }

  private static let abortCountMax = 5

  // MARK: Names

  func key(
    of name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> String {
    guard let key = destination.prefix.key(of: name) else {
      throw TransferFailure(
        .storeRefused, on: destination.prefix.text + "/" + name,
        detail: "no object can have this name")
    }
    return key
  }

  /// The name itself, or by the policy one with a number that no object has.
  private func freeName(for file: FileToStore) throws(TransferFailure) -> String {
    switch file.onConflict {
    case .replace: return file.name
    case .skip:
      if try exists(file.name, in: file.destination) {
        throw taken(file.name, in: file.destination)
      }
      return file.name
    case .rename:
      let names = try FileName.candidates(for: file.name) { name throws(TransferFailure) in
        try exists(name, in: file.destination)
      }
      return names.first { _ in true } ?? file.name
    }
  }

  func taken(_ name: String, in destination: ObjectDestination) -> TransferFailure {
    TransferFailure(.nameTaken, on: destination.prefix.text + "/" + name)
  }

  /// What is stored under a key.
  enum Standing {
    case found(ResponseHead)
    case nothing
    /// The key may write and not read, or is a wrong one, which the next request shows.
    case untold
  }

  func head(_ conversation: StoreConversation) throws(TransferFailure) -> Standing {
    switch try conversation.exchange(.head(conversation.key)) {
    case (.done, let head): return .found(head)
    case (.notFound, _): return .nothing
    case (.refused, let head) where head.status == 403: return .untold
    case (let verdict, _): throw conversation.failure(of: verdict)
    }
  }

  // MARK: Where and with which key

  /// Returns the URL of the bucket and the keys that sign requests to it.
  ///
  /// Reads the profile files on each call, because keys are rotated.
  func locate(_ destination: ObjectDestination) throws(TransferFailure) -> StoreLocation {
    let environment = ports.environment
    var access = destination.access.completed(by: ports.settings())
      .completed(by: ObjectStoreAccess(environment))
    let object = destination.prefix.text
    var login: Login?
    let files = AccessProfile(environment)
    switch access.keys ?? .searched(files, ContainerKeys(environment)) {
    case .given(let given):
      login = given
      access = access.completed(by: files.contents(read: ports.read))
    case .unsigned: access = access.completed(by: files.contents(read: ports.read))
    case .searched(let profile, let container):
      let contents = profile.contents(read: ports.read)
      access = access.completed(by: contents)
      login = contents.login
      if login == nil, let container { login = try keys(of: container, for: object) }
      guard login != nil else {
        throw TransferFailure(
          .storeRefused, on: object,
          detail: "no access key was found, neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY "
            + "nor the profile \(profile.name) in \(profile.credentialsPath)")
      }
    }
    if let url = StoreLocation(destination.prefix.bucket, access, login: nil)?.bucket,
      let named = regions.withLock({ $0[url] })
    {
      access.region = named
    }
    guard let location = StoreLocation(destination.prefix.bucket, access, login: login) else {
      throw TransferFailure(.storeRefused, on: object, detail: "its endpoint cannot be used")
    }
    return location
  }

  /// Notes the region that a store has named for a bucket.
  func note(_ region: String, of location: StoreLocation) {
    regions.withLock { $0[location.bucket] = region }
  }

  private func keys(
    of container: ContainerKeys, for object: String
  ) throws(TransferFailure) -> Login? {
    var request = AttemptRequest(
      id: AttemptID(rawValue: 0), transfer: TransferID(rawValue: 0), url: container.url)
    let token = container.tokenPath.flatMap { ports.read($0)?.trimmingBlanks() } ?? container.token
    if let token, let field = HeaderField(name: "Authorization", value: token) {
      request.headers.append(field)
    }
    let reply = try exchanges.perform(request, byteCountMax: 64 << 10)
    let document = try? JSONDecoder().decode(ContainerKeyDocument.self, from: Data(reply.body))
    guard reply.head.status == 200, let login = document?.login else {
      let mayPass = reply.head.status == 429 || reply.head.status >= 500
      throw TransferFailure(
        mayPass ? .storeUnavailable : .storeRefused, on: object,
        detail: "\(container.url.host) gave no access key (\(reply.head.status))")
    }
    return login
  }
}

extension StoreExchanges {
  /// Performs a request. Blocks.
  func perform(
    _ request: AttemptRequest, byteCountMax: Int
  ) throws(TransferFailure) -> StoreReply {
    let mailbox = StoreMailbox<Result<StoreReply, TransferFailure>>()
    _ = try begin(request, byteCountMax: byteCountMax) { mailbox.put($0) }
    while true {
      if let result = mailbox.next(milliseconds: 60_000) { return try result.get() }
    }
  }
}
