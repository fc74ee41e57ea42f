import KettleEngine
import KettleModel
import KettleSystem

/// An object store in memory that fails as it is told.
package final class InMemoryObjectStore: ObjectStore {
  package enum Call: Hashable, Sendable {
    case exists, begin, send, publish, abort
  }

  private struct State {
    var objects: [String: FileToStore] = [:]
    /// The uploads that have begun and are neither published nor aborted.
    var uploads: [String: ObjectUpload] = [:]
    var lastUpload = 0
    var calls: [Call] = []
    var failures: [Call: [TransferFailure]] = [:]
    var gate: Gate?
  }

  private let state = Mutex(State())

  package init() {}

  /// By their `s3://` URLs.
  package var objects: [String: FileToStore] { state.withLock { $0.objects } }
  package var uploadIDs: [String] { state.withLock { $0.uploads.keys.sorted() } }
  package func callCount(_ call: Call) -> Int { state.withLock { $0.calls.count { $0 == call } } }

  /// Lets the next calls of a kind fail, each once.
  package func fail(_ call: Call, with failures: TransferFailure...) {
    state.withLock { $0.failures[call, default: []] += failures }
  }

  /// Holds the next `send` before it is done, until the gate is opened.
  package func holdSending() -> Gate {
    let gate = Gate()
    state.withLock { $0.gate = gate }
    return gate
  }

  /// Stores an object of somebody else.
  package func put(_ file: FileToStore, at path: String) {
    state.withLock { $0.objects[path] = file }
  }

  /// Forgets all uploads, as the rules of a bucket do.
  package func forgetUploads() { state.withLock { $0.uploads = [:] } }

  private func note(_ call: Call) throws(TransferFailure) {
    let failure = state.withLock { state in
      state.calls.append(call)
      let failure = state.failures[call]?.first
      if failure != nil { state.failures[call]?.removeFirst() }
      return failure
    }
    if let failure { throw failure }
  }

  private func path(_ name: String, _ destination: ObjectDestination) -> String {
    destination.prefix.text + "/" + name
  }

  package func exists(
    _ name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> Bool {
    try note(.exists)
    return objects[path(name, destination)] != nil
  }

  package func createsOnly(
    _ name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> Bool {
    try note(.exists)
    return true
  }

  package func carries(
    _ mark: String, _ name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> Bool { objects[path(name, destination)]?.mark == mark }

  package func standing(
    of object: StoredObject, named name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> FinishedFileStanding {
    try note(.exists)
    guard let found = objects[path(name, destination)] else { return .missing }
    return found.byteCount == object.byteCount ? .unchanged : .changed
  }

  /// Removes an object, as others may.
  package func remove(_ path: String) { state.withLock { $0.objects[path] = nil } }

  package func begin(_ file: FileToStore) throws(TransferFailure) -> ObjectUpload {
    try note(.begin)
    return state.withLock { state in
      state.lastUpload += 1
      let upload = ObjectUpload(
        key: file.destination.prefix.key(of: file.name) ?? file.name,
        uploadID: "u\(state.lastUpload)", partByteCount: 8 << 20, mark: "m",
        hasChecksums: true)
      state.uploads[upload.uploadID] = upload
      return upload
    }
  }

  package func send(
    _ file: FileToStore, as upload: ObjectUpload, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) {
    try note(.send)
    try check(upload)
    let gate = state.withLock { state in
      defer { state.gate = nil }
      return state.gate
    }
    _ = advance(upload.partByteCount)
    gate?.pass()
    guard advance(file.byteCount) else { throw TransferFailure(.cancelled, on: file.path) }
  }

  package func publish(_ file: FileToStore) throws(TransferFailure) -> FinishedFile {
    try note(.publish)
    if let upload = file.upload { try check(upload) }
    let path = path(file.name, file.destination)
    let isTaken = state.withLock { state in
      guard state.objects[path] == nil || file.onConflict == .replace else { return true }
      state.objects[path] = file
      if let upload = file.upload { state.uploads[upload.uploadID] = nil }
      return false
    }
    if isTaken { throw TransferFailure(.nameTaken, on: path) }
    var finished = FinishedFile(path: path, identity: nil)
    finished.object = StoredObject(byteCount: file.byteCount, entityTag: "\"e\"")
    return finished
  }

  package func abort(
    _ upload: ObjectUpload, in destination: ObjectDestination
  ) throws(TransferFailure) {
    try note(.abort)
    state.withLock { $0.uploads[upload.uploadID] = nil }
  }

  private func check(_ upload: ObjectUpload) throws(TransferFailure) {
    guard uploadIDs.contains(upload.uploadID) else {
      throw TransferFailure(.uploadGone, on: upload.key)
    }
  }
}
