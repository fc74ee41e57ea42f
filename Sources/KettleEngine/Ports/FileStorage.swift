import KettleModel

/// The file system as the engine needs it. All calls may block and are made off the transport's
/// thread; all errors are `TransferFailure`s that name the path.
package protocol FileStorage: Sendable {
  /// Makes an empty `NAME.part` under the first name that is free, both for it and for the
  /// finished file: `preferredName`, then `NAME (2).EXT` and so on. With `replace` the finished
  /// name may be taken. With `skip` a taken name throws `nameTaken`, with a detail
  /// when what has the name is not a file (`TransferFailure.isOfFileThere`).
  ///
  /// Never follows a link, never opens a file that is there, makes no directory but `directory`
  /// itself, and that only when it is the documents directory or the one for held files.
  func createPartialFile(
    in directory: String, preferredName: String, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> any PartialFile

  /// Makes an empty partial file for the final name of `old`, whose own partial file stays as it is
  /// and where it is; so the name stays reserved, and the new partial file gets the first name that
  /// is free for it (`NAME (2).part` and so on).
  func createPartialFile(insteadOf old: ResumeData) throws(TransferFailure) -> any PartialFile

  /// Opens the partial file of an earlier start. `partialFileChanged` when it is gone, is another
  /// file, is shorter than what is held, or was written to after it was closed.
  func openPartialFile(_ resumeData: ResumeData) throws(TransferFailure) -> any PartialFile

  /// Puts a whole, synced partial file under its final name: rename without replacing, then fsync
  /// of the directory. When the name was taken meanwhile the policy decides; the answer has the
  /// name that it got.
  func finish(
    _ resumeData: ResumeData, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> FinishedFile

  /// The same for several, each of which succeeds or fails by itself; the answers are in their
  /// order. Those of one directory may share its sync.
  func finish(_ files: [FileToFinish]) -> [Result<FinishedFile, TransferFailure>]

  /// After a crash in the middle of `finish`: the finished file when the rename happened, nil when
  /// the partial file still stands.
  func finishedFile(of resumeData: ResumeData) -> FinishedFile?

  /// Deletes a partial file if it is still the one that was made; never another's.
  func removePartialFile(_ identity: PartialIdentity)

  /// Remembers, beyond a kill, that a partial file of a transfer was made and is not on record.
  func noteUnrecorded(_ identity: PartialIdentity, of id: TransferID)

  /// They are on record by now.
  func forgetUnrecorded(_ identities: [PartialIdentity])

  /// What was noted by the last run and not forgotten, and may be on record nevertheless.
  var leftUnrecorded: [UnrecordedFile] { get }

  /// Deletes a finished file if it is still exactly what was finished. False when it was left.
  func removeFinishedFile(_ file: FinishedFile) -> Bool

  /// Begins the digest of a partial file. It is read beside the writing, so that little is left to
  /// read when the last byte comes.
  func beginDigest(
    of resumeData: ResumeData, algorithm: Checksum.Algorithm
  ) throws(TransferFailure) -> any FileDigest

  /// Free bytes for an ordinary user on the disk of a directory.
  func freeBytes(at directory: String) -> Int64?
}

extension FileStorage {
  package func finish(_ files: [FileToFinish]) -> [Result<FinishedFile, TransferFailure>] {
    files.map { file in
      Result { () throws(TransferFailure) in
        try finish(file.resumeData, onConflict: file.onConflict)
      }
    }
  }
}

/// A whole, synced partial file that is to get its final name.
package struct FileToFinish: Sendable, Hashable {
  package var resumeData: ResumeData
  package var onConflict: ConflictPolicy

  package init(resumeData: ResumeData, onConflict: ConflictPolicy) {
    self.resumeData = resumeData
    self.onConflict = onConflict
  }
}

/// A partial file that was made and is not known to be on record.
package struct UnrecordedFile: Sendable, Hashable {
  /// nil when it was not even told for whom it was made: no record can have it then.
  package var id: TransferID?
  package var identity: PartialIdentity

  package init(id: TransferID?, identity: PartialIdentity) {
    self.id = id
    self.identity = identity
  }
}

/// An open partial file. It closes when the last reference goes.
package protocol PartialFile: AnyObject, Sendable {
  var path: String { get }
  var finalName: String { get }
  var device: UInt64 { get }
  var inode: UInt64 { get }

  /// Memory from which much can be written to this file at the least cost; nil when there is no
  /// better than any. Its address is a multiple of its size.
  func makeLargeMemory() -> BlockMemory?
  /// Writes all of the pieces, one behind the other; short writes and EINTR are handled.
  func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int64) throws(TransferFailure)
  /// Reads as many bytes as the buffer takes; `partialFileChanged` when the file ends before.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(TransferFailure)
  /// Returns when everything written so far is on the disk (fdatasync(2)), with the modification
  /// time of the file in nanoseconds since 1970.
  func sync() throws(TransferFailure) -> Int64
  /// What is written from now on will be read again soon, by a digest.
  func keepInMemory()
  /// Cuts the file off; what was written behind `byteCount` is gone.
  func truncate(to byteCount: Int64) throws(TransferFailure)
}

extension PartialFile {
  package func makeLargeMemory() -> BlockMemory? { nil }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure) {
    try write([bytes], at: offset)
  }
}

/// The digest of the beginning of a file that is still being written. Used by one thread at a time.
package protocol FileDigest: AnyObject, Sendable {
  /// How far it has read.
  var byteCount: Int64 { get }
  /// Reads on up to `upper`; `shouldStop` is asked now and then, and what was read until then
  /// stands. Blocks.
  func advance(to upper: Int64, shouldStop: @Sendable () -> Bool) throws(TransferFailure)
  /// Lower-case hexadecimal, of everything up to `byteCount`; nothing can be added after it.
  func finish() throws(TransferFailure) -> String
}
