import Dispatch
import KettleEngine
import KettleModel
import KettleSystem

/// Files in memory, with the guarantees of the port, failures on demand and power cuts.
///
/// It also checks the engine: a file that was not synced must not be finished.
package final class InMemoryFileStorage: Sendable {
  package enum Operation: Hashable, Sendable, CaseIterable {
    case create, open, write, read, sync, truncate, finish, digest, digestRead
    case unpack
  }

  struct File: Sendable {
    var inode: UInt64
    var bytes: [UInt8] = []
    var syncedBytes: [UInt8] = []
    var modified: Int64
    /// nil until they are set.
    var permissions: FilePermissions?
  }

  /// A change of a name, which a power cut can undo.
  enum NameChange: Sendable {
    case made(String)
    case moved(from: String, to: String, over: File?)
    case removed(String, File)
  }

  struct State: Sendable {
    var files: [String: File] = [:]
    var directories: Set<String>
    var lastInode: UInt64 = 0
    /// Counts changes; serves as the time in nanoseconds.
    var clock: Int64 = 0
    /// The results of the next calls; nil is success.
    var failures: [Operation: [TransferFailure?]] = [:]
    var calls: [Operation: Int] = [:]
    var freeBytes: Int64? = 1 << 40
    var largestFileByteCount: Int64?
    var specialPaths: Set<String> = []
    var fittedNameByteCountMax: Int?
    /// The gate that the creation of partial files waits for.
    var createGate: Gate?
    /// The gate that copies wait for.
    var copyGate: Gate?
    /// The gate that writes wait for.
    var writeGate: Gate?
    /// The gate that unpacking waits for.
    var unpackGate: Gate?
    /// The gate that syncs wait for.
    var syncGate: Gate?
    /// The gate that finishes wait for.
    var finishGate: DispatchSemaphore?
    var unrecorded: [UnrecordedFile] = []
    var hasBlockDigests = false
    /// With a rename that no sync has followed.
    var unsyncedDirectories: Set<String> = []
    /// The changes of names that no sync has followed, in their order.
    var unsyncedNames: [NameChange] = []

    mutating func begin(_ operation: Operation) throws(TransferFailure) {
      calls[operation, default: 0] += 1
      guard var waiting = failures[operation], !waiting.isEmpty else { return }
      let failure = waiting.removeFirst()
      failures[operation] = waiting
      if let failure { throw failure }
    }

    mutating func remove(_ path: String) {
      if let file = files.removeValue(forKey: path) { unsyncedNames.append(.removed(path, file)) }
    }

    mutating func newFile() -> File {
      lastInode += 1
      clock += 1
      return File(inode: lastInode, modified: clock)
    }

    /// Renames a file to a free path. Returns whether it did.
    @discardableResult
    mutating func move(_ path: String, to newPath: String) -> Bool {
      guard files[newPath] == nil, let file = files.removeValue(forKey: path) else { return false }
      files[newPath] = file
      unsyncedNames.append(.moved(from: path, to: newPath, over: nil))
      unsyncedDirectories.insert(InMemoryFileStorage.directory(of: newPath))
      return true
    }

    func identity(_ file: File) -> FileIdentity {
      FileIdentity(
        device: InMemoryFileStorage.device, inode: file.inode, byteCount: Int64(file.bytes.count),
        modifiedNanoseconds: file.modified)
    }
  }

  static let device: UInt64 = 1
  let state: Mutex<State>
  let documentsDirectory: String
  let heldDirectory: String?
  /// The final names of files that are finished together, sent when each batch starts.
  package let finishes: AsyncStream<[String]>
  let finishesBegun: AsyncStream<[String]>.Continuation
  /// The directories that moves share the sync of, sent when each sync starts.
  package let directorySyncs: AsyncStream<[String]>
  let directorySyncsBegun: AsyncStream<[String]>.Continuation

  /// - Parameter directories: the existing directories; the documents directory and the one for
  ///   held files are created on demand.
  package init(
    documentsDirectory: String, heldDirectory: String? = nil, directories: Set<String> = []
  ) {
    (finishes, finishesBegun) = AsyncStream.makeStream()
    (directorySyncs, directorySyncsBegun) = AsyncStream.makeStream()
    self.documentsDirectory = documentsDirectory
    self.heldDirectory = heldDirectory
    state = Mutex(State(directories: directories))
  }

  // MARK: For tests

  /// The paths of all files, sorted.
  package var paths: [String] { state.withLock { $0.files.keys.sorted() } }

  package func bytes(at path: String) -> [UInt8]? { state.withLock { $0.files[path]?.bytes } }

  /// Creates a new file in place of any other, as another program would.
  package func put(_ bytes: [UInt8], at path: String) {
    state.withLock { state in
      var file = state.newFile()
      file.bytes = bytes
      file.syncedBytes = bytes
      state.files[path] = file
    }
  }

  /// Changes a file in place, as another program would.
  package func overwrite(_ path: String, with bytes: [UInt8]) {
    state.withLock { state in
      state.clock += 1
      let now = state.clock
      state.files[path]?.bytes = bytes
      state.files[path]?.syncedBytes = bytes
      state.files[path]?.modified = now
    }
  }

  /// Sets the modification time of a file, as a write of another program or a power cut would.
  package func setModified(_ path: String, nanoseconds: Int64) {
    state.withLock { $0.files[path]?.modified = nanoseconds }
  }

  package func modifiedNanoseconds(_ path: String) -> Int64? {
    state.withLock { $0.files[path]?.modified }
  }

  package func remove(_ path: String) { state.withLock { $0.files[path] = nil } }

  package func makeDirectory(_ path: String) {
    state.withLock { _ = $0.directories.insert(path) }
  }

  /// Removes a directory with its contents, as an unmount would.
  package func removeDirectory(_ path: String) {
    state.withLock { state in
      state.directories.remove(path)
      state.files = state.files.filter { !$0.key.hasPrefix(path + "/") }
    }
  }

  /// Makes `count` calls of an operation fail, after `successCount` successful ones.
  package func fail(
    _ operation: Operation, with failure: TransferFailure, count: Int = 1,
    after successCount: Int = 0
  ) {
    let successes = [TransferFailure?](repeating: nil, count: successCount)
    state.withLock {
      $0.failures[operation, default: []] += successes + Array(repeating: failure, count: count)
    }
  }

  package func callCount(_ operation: Operation) -> Int {
    state.withLock { $0.calls[operation] ?? 0 }
  }

  /// Makes finishes wait from now on.
  package func holdFinishes() { state.withLock { $0.finishGate = DispatchSemaphore(value: 0) } }

  /// Releases the waiting finishes and lets later ones pass.
  package func releaseFinishes() {
    let gate = state.withLock { state in
      defer { state.finishGate = nil }
      return state.finishGate
    }
    gate?.signal()
  }

  /// Makes the creation of partial files wait until the gate is opened.
  package func holdCreations() -> Gate {
    let gate = Gate()
    state.withLock { $0.createGate = gate }
    return gate
  }

  /// Makes copies wait until the gate is opened.
  package func holdCopies() -> Gate {
    let gate = Gate()
    state.withLock { $0.copyGate = gate }
    return gate
  }

  /// Makes writes wait until the gate is opened.
  package func holdWrites() -> Gate {
    let gate = Gate()
    state.withLock { $0.writeGate = gate }
    return gate
  }

  /// Makes unpacking wait until the gate is opened.
  package func holdUnpacking() -> Gate {
    let gate = Gate()
    state.withLock { $0.unpackGate = gate }
    return gate
  }

  /// Makes syncs of files wait from now on.
  @discardableResult
  package func holdSyncs() -> Gate {
    let gate = Gate()
    state.withLock { $0.syncGate = gate }
    return gate
  }

  /// Releases the waiting syncs and lets later ones pass.
  package func releaseSyncs() {
    let gate = state.withLock { state in
      defer { state.syncGate = nil }
      return state.syncGate
    }
    gate?.open()
  }

  func waitUntilSyncsMayGoOn() { state.withLock({ $0.syncGate })?.pass() }

  /// Ends `directorySyncs`.
  package func endDirectorySyncs() { directorySyncsBegun.finish() }

  /// Limits the size of files from now on.
  package func setLargestFile(byteCount: Int64) {
    state.withLock { $0.largestFileByteCount = byteCount }
  }

  /// Puts a device somewhere.
  package func putDevice(at path: String) { state.withLock { _ = $0.specialPaths.insert(path) } }

  /// Cuts names from now on.
  package func setFittedName(byteCountMax: Int) {
    state.withLock { $0.fittedNameByteCountMax = byteCountMax }
  }

  package func setFreeBytes(_ count: Int64?) { state.withLock { $0.freeBytes = count } }

  /// Simulates a power cut: unsynced bytes are lost.
  package func cutPower() {
    state.withLock { state in
      state.unrecorded = []
      for path in state.files.keys {
        let synced = state.files[path]?.syncedBytes ?? []
        state.files[path]?.bytes = synced
      }
    }
  }
}
