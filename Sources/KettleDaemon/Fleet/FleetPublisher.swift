#if Fleet
import FoundationEssentials
import Glibc
import KettleEngine
import KettleFiles
import KettleFleet
import KettleModel
import KettleSystem

/// Places the files of a fleet, each at most once: it only creates, and looks whose file has the
/// name if there is one. All functions block.
struct FleetPublisher: Sendable {
  let objects: any ObjectStore
  let files: any FileStorage
  /// Where files wait whose destination is an object store. Absolute.
  let stagingDirectory: String

  /// Returns the directory that has the claims' directories for a destination.
  func localDirectory(for destination: String) -> String {
    ObjectPrefix.isMeant(by: destination) ? stagingDirectory : destination
  }

  /// Returns where the file of a claim is kept until it is published.
  func stagingDirectory(of claim: ClaimDirectory, for destination: String) -> String {
    localDirectory(for: destination) + "/" + StagedFile.directoryName + "/" + claim.name
  }

  /// Returns a complete file as it is on disk.
  func inspect(_ path: String) throws(TransferFailure) -> CompleteFile {
    let (byteCount, modified) = try StagedFile(at: path).measure()
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return CompleteFile(
      path: path, name: name, byteCount: byteCount, modifiedNanoseconds: modified)
  }

  /// Returns the file that another claim of the transfer has placed; nil if it has not.
  func look(
    for claim: ClaimDirectory, _ earlier: EarlierPlacing, in settings: FleetSettings
  ) -> PublishedFile? {
    // The name comes from the table, which others can write.
    guard let name = FileName(foreign: earlier.name)?.text, name == earlier.name,
      let directory = settings.place(for: earlier.directory)
    else { return nil }
    let isThere: Bool
    if let prefix = ObjectPrefix(directory) {
      let destination = ObjectDestination(prefix)
      isThere = (try? objects.carries(claim.transferName, name, in: destination)) ?? false
    } else {
      isThere = StagedFile.isPlaced(
        name, in: directory, byteCount: earlier.byteCount,
        modifiedNanoseconds: earlier.modifiedNanoseconds
      ) { ClaimDirectory($0)?.transferName == claim.transferName }
    }
    return isThere
      ? PublishedFile(name: name, directory: directory, byteCount: earlier.byteCount) : nil
  }

  /// Places a complete file.
  ///
  /// - Parameter shouldStop: whether the service ends.
  func publish(
    _ claim: ClaimDirectory, _ file: CompleteFile, directory: String, replacing: Bool,
    shouldStop: @Sendable () -> Bool
  ) -> PublicationResult {
    do throws(TransferFailure) {
      let isPlaced: Bool
      if let prefix = ObjectPrefix(directory) {
        isPlaced = try store(
          claim, file, in: prefix, replacing: replacing, shouldStop: shouldStop)
      } else {
        let placing = try StagedFile(at: file.path).place(
          in: directory, as: file.name, replacing: replacing
        ) { ClaimDirectory($0)?.transferName == claim.transferName }
        isPlaced = placing == .placed
      }
      if isPlaced {
        return .published(
          PublishedFile(name: file.name, directory: directory, byteCount: file.byteCount))
      }
    } catch {
      return .failed(error)
    }
    let staged = file.path.split(separator: "/").last.map(String.init) ?? file.name
    let candidates = FileName.candidates(for: staged)
    let next = candidates.drop { $0 != file.name }.dropFirst().first { _ in true }
    return next.map { .taken(next: $0) }
      ?? .failed(TransferFailure(.nameTaken, on: directory + "/" + file.name))
  }

  /// Takes a file away from its place that was published under a claim that was lost.
  func withdraw(_ file: CompleteFile, from directory: String) {
    // An object stays, because other readers may use it already. Its bytes are right.
    guard !ObjectPrefix.isMeant(by: directory) else { return }
    StagedFile(at: file.path).withdraw(file.name, from: directory)
  }

  /// Compares a published file with what was downloaded.
  ///
  /// - Parameters:
  ///   - owner: the name of its last claim.
  ///   - shouldStop: whether the service ends; the result does not count then.
  func compare(
    _ errand: FileErrand, of owner: ClaimDirectory, in settings: FleetSettings, at now: WallTime,
    shouldStop: @Sendable () -> Bool
  ) -> FileCheck {
    // The place comes from the table, which others can write.
    guard let name = FileName(foreign: errand.name)?.text, name == errand.name,
      let directory = settings.place(for: errand.directory)
    else {
      return FileCheck(
        .unreadable, at: now, detail: "its place is not below a root of this machine")
    }
    do throws(TransferFailure) {
      if let prefix = ObjectPrefix(directory) {
        let isThere = try objects.carries(owner.transferName, name, in: ObjectDestination(prefix))
        return FileCheck(isThere ? .intact : .missing, at: now)
      }
      let path = directory + "/" + name
      guard files.hasEntry(at: path) else { return FileCheck(.missing, at: now) }
      let (byteCount, modified) = try StagedFile(at: path).measure()
      let wasWritten = modified != errand.proof?.modifiedNanoseconds
      guard let digests = errand.proof?.digests(byteCount: errand.byteCount) else {
        let isSame = byteCount == errand.byteCount && !wasWritten
        return FileCheck(isSame ? .unproved : .edited, at: now)
      }
      let comparison = try files.compare(fileAt: path, with: digests) { _ in !shouldStop() }
      return FileCheck(
        comparison, byteCount: errand.byteCount, blockCount: digests.count, wasWritten: wasWritten,
        at: now)
    } catch {
      return FileCheck(.unreadable, at: now, detail: error.detail ?? error.sentence)
    }
  }

  /// Removes what this machine keeps of a claim.
  func discard(_ claim: ClaimDirectory, for destination: String) {
    StagedFile.discard(claim.name, below: localDirectory(for: destination))
  }

  // MARK: Object stores

  /// Returns false if another object has the name.
  private func store(
    _ claim: ClaimDirectory, _ file: CompleteFile, in prefix: ObjectPrefix, replacing: Bool,
    shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) -> Bool {
    let destination = ObjectDestination(prefix)
    var stored = FileToStore(
      transfer: TransferID(claim.key.id), destination: destination, name: file.name,
      path: file.path, byteCount: file.byteCount,
      modifiedNanoseconds: file.modifiedNanoseconds ?? 0,
      onConflict: replacing ? .replace : .skip)
    // By which every host of the fleet recognizes the object.
    stored.mark = claim.transferName
    do throws(TransferFailure) {
      if file.byteCount > ObjectUpload.wholeByteCountMax {
        stored.upload = try sent(stored, shouldStop)
      }
      _ = try objects.publish(stored)
      return true
    } catch {
      guard error.code == .nameTaken else { throw error }
      return try objects.carries(claim.transferName, file.name, in: destination)
    }
  }

  /// Sends the parts of a large file. Begins again if the store does not know the upload any more.
  private func sent(
    _ file: FileToStore, _ shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) -> ObjectUpload {
    do throws(TransferFailure) {
      let upload = try upload(for: file)
      try objects.send(file, as: upload) { _ in !shouldStop() }
      return upload
    } catch {
      guard error.code == .uploadGone else { throw error }
      unlink(notePath(of: file))
      let upload = try upload(for: file)
      try objects.send(file, as: upload) { _ in !shouldStop() }
      return upload
    }
  }

  private func notePath(of file: FileToStore) -> String { file.path + ".upload" }

  /// Continues the upload that an earlier start of the service has begun, or begins one. It is
  /// noted beside the file before the first part is sent.
  private func upload(for file: FileToStore) throws(TransferFailure) -> ObjectUpload {
    let notePath = notePath(of: file)
    if case .bytes(let bytes) = FileContents.read(path: notePath, byteCountMax: 1 << 16),
      let noted = try? JSONDecoder().decode(ObjectUpload.self, from: Data(bytes)),
      noted.key == file.destination.prefix.key(of: file.name)
    {
      return noted
    }
    let upload = try objects.begin(file)
    do {
      let bytes = [UInt8](try JSONEncoder().encode(upload))
      try FileReplacement.write(bytes, to: notePath, mode: 0o600)
    } catch {
      try? objects.abort(upload, in: file.destination)
      throw TransferFailure(.fileProblem, on: notePath, detail: "\(error)")
    }
    return upload
  }
}
#endif
