import TransferModel

/// The file system as the engine needs it. All calls may block and are made off the transport's
/// thread; all errors are `TransferFailure`s that name the path.
package protocol FileStorage: Sendable {
  /// Makes an empty `NAME.part` under the first name that is free, both for it and for the
  /// finished file: `preferredName`, then `NAME (2).EXT` and so on. With `replace` the finished
  /// name may be taken. With `skip` a taken name answers `nameTaken`.
  ///
  /// Never follows a link, never opens a file that is there, makes no directory but `directory`
  /// itself, and that only when it is the documents directory.
  func createPartialFile(
    in directory: String, preferredName: String, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> any PartialFile

  /// Opens the partial file of an earlier start. `partialFileChanged` when it is gone, is another
  /// file, or is shorter than what is held.
  func openPartialFile(_ resumeData: ResumeData) throws(TransferFailure) -> any PartialFile

  /// Puts a whole, synced partial file under its final name: rename without replacing, then fsync
  /// of the directory. When the name was taken meanwhile the policy decides; the answer has the
  /// name that it got.
  func finish(
    _ resumeData: ResumeData, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> FinishedFile

  /// After a crash in the middle of `finish`: the finished file when the rename happened, nil when
  /// the partial file still stands.
  func finishedFile(of resumeData: ResumeData) -> FinishedFile?

  /// Deletes the partial file if it is still the one that was made; never another's.
  func removePartialFile(_ resumeData: ResumeData)

  /// Deletes a finished file if it is still exactly what was finished. False when it was left.
  func removeFinishedFile(_ file: FinishedFile) -> Bool

  /// The hexadecimal digest of a file, read from the start; `shouldStop` is asked now and then.
  func digest(
    of path: String, algorithm: Checksum.Algorithm, shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) -> String

  /// Free bytes for an ordinary user on the disk of a directory.
  func freeBytes(at directory: String) -> Int64?
}

/// An open partial file. It closes when the last reference goes.
package protocol PartialFile: AnyObject, Sendable {
  var path: String { get }
  var finalName: String { get }
  var device: UInt64 { get }
  var inode: UInt64 { get }

  /// Writes all of it; short writes and EINTR are handled.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure)
  /// Returns when everything written so far is on the disk (fdatasync(2)).
  func sync() throws(TransferFailure)
  /// Cuts the file off; what was written behind `byteCount` is gone.
  func truncate(to byteCount: Int64) throws(TransferFailure)
}
