#if Fleet
import FoundationEssentials
import Glibc
import KettleEngine
import KettleFiles
import KettleFleet
import KettleModel
import KettleRPC
import KettleSystem
import Logging

/// Gives the files that all machines want, and that this one has published, to the other ones.
final class FleetSharing: Sendable {
  struct Ports: Sendable {
    /// Where it keeps what it remembers.
    var stagingDirectory: String
    /// The SHA-256 of a file in hexadecimal. Blocks.
    var digest: @Sendable (_ path: String) throws(TransferFailure) -> String
  }

  /// What it remembers of a published file, in a file that has the number of the transfer as its
  /// name: a request cannot name any other.
  private struct Note: Codable {
    var path: String
    var byteCount: Int64
    var modifiedNanoseconds: Int64
    /// Another fleet has other transfers with the same numbers.
    var secret: String
  }

  private struct State {
    /// nil before the host has joined.
    var secret: String?
    var listener: ShareListener?
    var phase = Phase.working
  }

  private enum Phase {
    case working
    case ended
  }

  private static let owner = "shared"
  private static let retryPause = Duration.seconds(2)

  private let address: ShareAddress
  private let ports: Ports
  private let logger: Logger
  private let state = Mutex(State())

  init(at address: ShareAddress, _ ports: Ports, logger: Logger) {
    self.address = address
    self.ports = ports
    self.logger = logger
  }

  /// Opens the port when the fleet's secret is known. Returns at once.
  func follow(_ secret: String?) {
    let isFirst = state.withLock { state in
      guard state.phase == .working, state.secret == nil else { return false }
      state.secret = secret
      return secret != nil
    }
    guard isFirst, let secret = secret.flatMap({ RPCSecret($0) }) else { return }
    Task(executorPreference: WorkerPool.tasks) { [self] in await listen(secret) }
  }

  func end() {
    let listener = state.withLock { state in
      state.phase = .ended
      return state.listener.take()
    }
    guard let listener else { return }
    Task(executorPreference: WorkerPool.tasks) { await listener.close() }
  }

  /// Tries until it succeeds: the address may appear later, or be in use for a moment.
  private func listen(_ secret: RPCSecret) async {
    var isReported = false
    while state.withLock({ $0.phase == .working }) {
      do throws(RPCListener.Problem) {
        let listener = try await ShareListener.start(
          at: address.address, port: address.port, secret: secret, find: { [self] in find($0) })
        let isKept = state.withLock { state in
          guard state.phase == .working else { return false }
          state.listener = listener
          return true
        }
        if !isKept { await listener.close() }
        return
      } catch {
        if !isReported {
          logger.error(
            "This machine cannot give files to its fleet yet",
            metadata: ["port": "\(address.port)", "error": "\(SystemError(error.code))"])
        }
        isReported = true
      }
      do { try await WorkerPool.pause(for: Self.retryPause) } catch { return }
    }
  }

  // MARK: Files

  /// Remembers a file that this machine has published, and returns it with its digest; without one
  /// if it cannot be given to others. Blocks as long as the digest takes.
  func share(_ key: ClaimKey, _ published: PublishedFile, known sha256: String?) -> PublishedFile {
    guard !ObjectPrefix.isMeant(by: published.directory),
      let secret = state.withLock({ $0.secret })
    else { return published }
    var shared = published
    let path = published.directory + "/" + published.name
    do {
      let (byteCount, modified) = try StagedFile(at: path).measure()
      shared.sha256 = try sha256 ?? ports.digest(path)
      let note = Note(
        path: path, byteCount: byteCount, modifiedNanoseconds: modified, secret: secret)
      makeDirectory()
      try FileReplacement.write(
        [UInt8](try JSONEncoder().encode(note)), to: notePath(of: key.id.rawValue), mode: 0o600)
      return shared
    } catch {
      logger.error("A file cannot be given to the fleet", metadata: ["error": "\(error)"])
      return published
    }
  }

  /// Opens the file of a transfer, if it is still the one that was published.
  func find(_ id: Int64) -> SharedFile? {
    let secret = state.withLock { $0.secret }
    guard
      case .bytes(let bytes) = FileContents.read(path: notePath(of: id), byteCountMax: 1 << 16),
      let note = try? JSONDecoder().decode(Note.self, from: Data(bytes)), note.secret == secret
    else { return nil }
    return SharedFile(
      path: note.path, byteCount: note.byteCount, modifiedNanoseconds: note.modifiedNanoseconds)
  }

  /// Forgets all files.
  static func forget(_ ports: Ports) { StagedFile.discard(owner, below: ports.stagingDirectory) }

  private var directory: String {
    ports.stagingDirectory + "/" + StagedFile.directoryName + "/" + Self.owner
  }

  private func notePath(of id: Int64) -> String { directory + "/\(id)" }

  private func makeDirectory() {
    for path in [
      ports.stagingDirectory, ports.stagingDirectory + "/" + StagedFile.directoryName, directory,
    ] { mkdir(path, 0o700) }
  }
}
#endif
