import KettleModel

/// The file system as the engine needs it. All calls may block and are made off the transport's
/// thread. All errors are `TransferFailure`s that name the path.
package protocol FileStorage: Sendable {
  /// Creates an empty `NAME.part` under the first name that is free for both the partial and the
  /// finished file: `preferredName`, then `NAME (2).EXT` and so on. With `replace` the finished
  /// name may be taken. With `skip` a taken name throws `nameTaken`, with a detail when the entry
  /// is not a file (`TransferFailure.isOfFileThere`).
  ///
  /// Never follows a link and never opens an existing file. Creates no directory except `directory`
  /// itself, and that only when it is the documents directory or the one for held files.
  func createPartialFile(
    in directory: String, preferredName: String, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> any PartialFile

  /// Returns the name, cut to what the file system of a directory allows, so that a number and the
  /// suffix of a partial file fit after it.
  func fitted(_ name: String, in directory: String) -> String

  /// Returns whether a FIFO, a socket or a device is there, or a link to one.
  func isSpecial(at path: String) -> Bool

  /// Returns the file that another program has left under a path; nil when nothing is there. Throws
  /// `notContinued` when it is not a regular file, or was not written sequentially.
  func fileToContinue(at path: String) throws(TransferFailure) -> ForeignFile?

  /// Copies such a file into an empty partial file. Takes long for a large one. Throws
  /// `notContinued` when it has changed since, and `cancelled` when it is to stop.
  ///
  /// - Parameter advance: is called now and then with the number of copied bytes; returns whether
  ///   to go on.
  func copy(
    _ file: ForeignFile, into partial: any PartialFile, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure)

  /// Returns the size of the largest file that can be written there, if a limit is known.
  func largestFileByteCount(at directory: String) -> Int64?

  /// Makes a directory that is missing, with those above it.
  func makeDirectory(_ path: String) throws(TransferFailure)

  /// Makes a directory that is missing, with those above it. Does nothing if it is not below the
  /// documents directory: elsewhere it may be the place of a disk that is not mounted.
  func makeSubdirectory(_ path: String) throws(TransferFailure)

  /// Creates an empty partial file for the final name of `old`, and leaves the
  /// partial file of `old` unchanged at its path. The name thus stays reserved, and the new partial
  /// file gets the first free name (`NAME (2).part` and so on).
  func createPartialFile(insteadOf old: ResumeData) throws(TransferFailure) -> any PartialFile

  /// Opens an existing partial file. Throws `partialFileChanged` when it is gone, was replaced, is
  /// shorter than the durable bytes, or was written to after it was closed.
  func openPartialFile(_ resumeData: ResumeData) throws(TransferFailure) -> any PartialFile

  /// Gives a complete, synced partial file its final name: rename without replacing, then fsync of
  /// the directory. If the name was taken meanwhile, the policy decides. The result has the actual
  /// name.
  func finish(
    _ resumeData: ResumeData, onConflict: ConflictPolicy
  ) throws(TransferFailure) -> FinishedFile

  /// Finishes several files, each of which succeeds or fails independently. Returns the results in
  /// the same order. Files of one directory may share its sync.
  func finish(_ files: [FileToFinish]) -> [Result<FinishedFile, TransferFailure>]

  /// Returns the finished file when a crash interrupted `finish` after the rename; nil when the
  /// partial file still exists.
  func finishedFile(of resumeData: ResumeData) -> FinishedFile?

  /// Returns the first bytes of a partial file; nil when it is not the one that was made any more
  /// or cannot be read.
  func beginning(of identity: PartialIdentity, byteCountMax: Int) -> [UInt8]?

  /// Deletes a partial file if it is still the one that was made, and never another file.
  func removePartialFile(_ identity: PartialIdentity)

  /// Notes, beyond a kill, that a transfer's partial file was made and is not recorded.
  func noteUnrecorded(_ identity: PartialIdentity, of id: TransferID)

  /// Removes the notes of files that are recorded by now.
  func forgetUnrecorded(_ identities: [PartialIdentity])

  /// The files noted by the last run and not forgotten. They may be recorded nevertheless.
  var leftUnrecorded: [UnrecordedFile] { get }

  /// Deletes a finished file if it is still exactly what was finished. Returns false when it was
  /// left.
  func removeFinishedFile(_ file: FinishedFile) -> Bool

  /// Returns whether something has the path of a finished file: that file, or what replaced it.
  func hasEntry(at path: String) -> Bool

  /// Compares a finished file with what is there under its path.
  func standing(of file: FinishedFile) -> FinishedFileStanding

  /// Returns the digest of a whole file of any origin, or of the one that a link leads to, in
  /// lower-case hexadecimal. Reads no FIFO and no device. Takes long for a large file.
  func digest(
    ofFileAt path: String, algorithm: Checksum.Algorithm
  ) throws(TransferFailure) -> String

  /// Returns whether a piece of a partial file has its digest. Its bytes are written. Blocks.
  func isRight(
    _ index: Int, of pieces: PieceHashes, in file: any PartialFile
  ) throws(TransferFailure) -> Bool

  /// Moves files to the bin and back. All moves in one directory share its sync, which follows
  /// them. When this returns, a power cut undoes none of them, unless a directory cannot be synced.
  func moveTogether<Outcome>(_ body: (any FileMoves) -> Outcome) -> Outcome

  /// Begins the digest of a partial file. It is read while the file is written, so that little is
  /// left to read when the last byte arrives.
  func beginDigest(
    of resumeData: ResumeData, algorithm: Checksum.Algorithm
  ) throws(TransferFailure) -> any FileDigest

  /// Begins the digest of a block; nil if the library that computes it is missing.
  func makeBlockDigest() -> (any RunningBlockDigest)?

  /// Compares bytes of a file with their digests. Throws `cancelled` when it is to stop. Takes long
  /// for a large file.
  ///
  /// - Parameter advance: is called now and then with the number of compared bytes; returns whether
  ///   to go on.
  func compare(
    fileAt path: String, with digests: [DigestedBytes], advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) -> FileComparison

  /// Returns the digests of a whole file, block by block. Throws and calls `advance` as `compare`
  /// does.
  func digests(
    ofFileAt path: String, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) -> [DigestedBytes]

  /// Puts the damaged bytes of a finished file into it, from the partial file that fetched them,
  /// and syncs it. Writes nothing unless the digests prove all of them. What an interrupted call
  /// has written counts. The file keeps its modification time, because it has the bytes of then
  /// again.
  ///
  /// - Parameter digests: of all bytes of the finished file.
  func patch(
    _ target: RepairTarget, from resumeData: ResumeData, with digests: [DigestedBytes]
  ) throws(TransferFailure)

  /// Undoes the content codings of a complete partial file, and writes the result into an empty
  /// one. Checks `shouldStop` now and then; throws `cancelled` when it is true. Throws
  /// `unpackingFailed` for the final name, with the reason as its detail.
  ///
  /// - Returns: the number of bytes written. They are not synced.
  func unpack(
    _ resumeData: ResumeData, into file: any PartialFile, shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) -> Int64

  /// Begins to decrypt a body: AES-128 in CBC mode with PKCS7 padding. Returns nil if the key is
  /// not one, or libcrypto does not offer this cipher.
  func beginDecryption(_ key: SegmentKey) -> (any BodyDecryption)?

  /// Returns the free bytes for an ordinary user on the disk of a directory.
  func freeBytes(at directory: String) -> Int64?
}

extension FileStorage {
  package func fitted(_ name: String, in directory: String) -> String { name }

  package func isSpecial(at path: String) -> Bool { false }

  package func makeBlockDigest() -> (any RunningBlockDigest)? { nil }

  package func compare(
    fileAt path: String, with digests: [DigestedBytes], advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) -> FileComparison { FileComparison(byteCount: 0) }

  package func digests(
    ofFileAt path: String, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) -> [DigestedBytes] { [] }

  package func patch(
    _ target: RepairTarget, from resumeData: ResumeData, with digests: [DigestedBytes]
  ) throws(TransferFailure) {
    throw TransferFailure(.fileProblem, on: target.path)
  }

  package func largestFileByteCount(at directory: String) -> Int64? { nil }

  package func finish(_ files: [FileToFinish]) -> [Result<FinishedFile, TransferFailure>] {
    files.map { file in
      Result { () throws(TransferFailure) in
        try finish(file.resumeData, onConflict: file.onConflict)
      }
    }
  }
}

/// A regular file that another program has written from its beginning on. It is only read.
package struct ForeignFile: Sendable, Hashable {
  package var path: String
  package var identity: FileIdentity
  package var permissions: FilePermissions

  package init(path: String, identity: FileIdentity, permissions: FilePermissions) {
    self.path = path
    self.identity = identity
    self.permissions = permissions
  }
}

/// Moves of files to the bin and back, within `FileStorage.moveTogether`.
package protocol FileMoves {
  /// Moves a partial file to the bin, or one of another version back, if it is still the one that
  /// was made: renames it within its directory, never over another file.
  ///
  /// - Returns: whether it has the name now.
  @discardableResult
  func movePartialFile(_ identity: PartialIdentity, toName name: String) -> Bool

  /// Moves a partial file back from the bin: to its own name, or to the first free one when that
  /// is taken. Does nothing when it never left.
  ///
  /// - Returns: the resume data with the present path, which is the one in the bin when the file
  ///   cannot be moved.
  func restorePartialFile(_ resumeData: ResumeData, from binned: PartialIdentity) -> ResumeData

  /// Moves a finished file to the bin, if it is still exactly what was finished. Returns false when
  /// it was left.
  func moveFinishedFile(_ file: FinishedFile, toName name: String) -> Bool

  /// Moves a finished file back from the bin: to its own name, or to the first free one.
  ///
  /// - Returns: the file with its present path.
  func restoreFinishedFile(_ file: FinishedFile, from binned: FinishedFile) -> FinishedFile
}

extension FileStorage {
  /// Moves one partial file, as `FileMoves` does.
  @discardableResult
  package func movePartialFile(_ identity: PartialIdentity, toName name: String) -> Bool {
    moveTogether { $0.movePartialFile(identity, toName: name) }
  }

  /// Moves one partial file back, as `FileMoves` does.
  package func restorePartialFile(
    _ resumeData: ResumeData, from binned: PartialIdentity
  ) -> ResumeData {
    moveTogether { $0.restorePartialFile(resumeData, from: binned) }
  }

  /// Moves one finished file, as `FileMoves` does.
  package func moveFinishedFile(_ file: FinishedFile, toName name: String) -> Bool {
    moveTogether { $0.moveFinishedFile(file, toName: name) }
  }

  /// Moves one finished file back, as `FileMoves` does.
  package func restoreFinishedFile(
    _ file: FinishedFile, from binned: FinishedFile
  ) -> FinishedFile {
    moveTogether { $0.restoreFinishedFile(file, from: binned) }
  }
}

/// A complete, synced partial file that needs its final name.
package struct FileToFinish: Sendable, Hashable {
  package var resumeData: ResumeData
  package var onConflict: ConflictPolicy
  /// The modification time that the file gets; nil leaves it.
  package var modifiedAt: WallTime?

  package init(resumeData: ResumeData, onConflict: ConflictPolicy) {
    self.resumeData = resumeData
    self.onConflict = onConflict
  }
}

/// How the bytes of a file compare with their digests.
package struct FileComparison: Sendable, Hashable {
  /// The ranges that differ or that the file lacks, in order.
  package var differing: [ByteRange]
  /// The present size of the file.
  package var byteCount: Int64

  package init(differing: [ByteRange] = [], byteCount: Int64) {
    self.differing = differing
    self.byteCount = byteCount
  }
}

/// What is under the path of a finished file.
package enum FinishedFileStanding: Sendable, Hashable {
  /// The file as it was finished, as far as its size and its time show.
  case unchanged
  /// Another file, or the same one with other contents.
  case changed
  case missing
}

/// A partial file that was made and is not known to be recorded.
package struct UnrecordedFile: Sendable, Hashable {
  /// nil when the transfer was never noted: then no record can have the file.
  package var id: TransferID?
  package var identity: PartialIdentity

  package init(id: TransferID?, identity: PartialIdentity) {
    self.id = id
    self.identity = identity
  }
}

/// An open partial file, closed with the last reference.
package protocol PartialFile: AnyObject, Sendable {
  var path: String { get }
  var finalName: String { get }
  var device: UInt64 { get }
  var inode: UInt64 { get }

  /// Writes all of the bytes; short writes and EINTR are handled.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure)
  /// Fills the buffer. Throws `partialFileChanged` when the file ends before.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(TransferFailure)
  /// Syncs everything written so far (fdatasync(2)). Returns the modification time of the file in
  /// nanoseconds since 1970.
  func sync() throws(TransferFailure) -> Int64
  /// Returns what identifies the file by its beginning where its inode number may change; nil where
  /// the number lasts.
  ///
  /// - Parameter byteCount: how many of the first bytes are written and stay as they are.
  func sample(ofFirst byteCount: Int64) -> FileSample?
  /// Announces that bytes written from now on will be read again soon, by a digest.
  func keepInMemory()
  /// Sets the permissions, whatever the mask of the process (umask(2)), where the file system has
  /// any.
  func setPermissions(_ permissions: FilePermissions)
  /// Truncates the file to `byteCount`.
  func truncate(to byteCount: Int64) throws(TransferFailure)
}

extension PartialFile {
  package func sample(ofFirst byteCount: Int64) -> FileSample? { nil }
}

/// Decrypts a body while it arrives. Only one thread may use it at a time.
package protocol BodyDecryption: AnyObject, Sendable {
  /// Returns what is certain of the plain bytes; nil if libcrypto fails.
  func decrypt(_ bytes: UnsafeRawBufferPointer) -> [UInt8]?
  /// Returns the last plain bytes; nil if the padding is not what the key should yield.
  func finish() -> [UInt8]?
}

/// The digest of the beginning of a file that is still being written. Only one thread may use it at
/// a time.
package protocol FileDigest: AnyObject, Sendable {
  /// The number of bytes read.
  var byteCount: Int64 { get }
  /// Reads on up to `upper`. Checks `shouldStop` now and then; bytes read until then count. Blocks.
  func advance(to upper: Int64, shouldStop: @Sendable () -> Bool) throws(TransferFailure)
  /// Returns the digest of everything up to `byteCount` in lower-case hexadecimal. Nothing can be
  /// added afterwards.
  func finish() throws(TransferFailure) -> String
}
