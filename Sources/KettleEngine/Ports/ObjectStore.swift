import KettleModel

/// The other kind of destination beside directories (`FileStorage.finish`): object stores. All
/// calls block, some for as long as an upload takes. All errors are `TransferFailure`s.
///
/// A large file is sent in parts (`send`), and then becomes an object at once (`publish`); a small
/// one is published in one request. Nothing overwrites an object unless the file's policy is
/// `replace`.
package protocol ObjectStore: Sendable {
  /// Returns whether there is an object with this name.
  func exists(_ name: String, in destination: ObjectDestination) throws(TransferFailure) -> Bool

  /// Compares an object with what has its name.
  func standing(
    of object: StoredObject, named name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> FinishedFileStanding

  /// Whether an object has the mark that `FileToStore` gave it.
  func carries(
    _ mark: String, _ name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> Bool

  /// Whether the store refuses to replace an object when it is asked to create only. Leaves an
  /// empty object with this name.
  func createsOnly(
    _ name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> Bool

  /// Begins an upload in parts, under a name that is free if the policy is `rename`. Throws
  /// `nameTaken` if it is `skip` and the name is taken.
  func begin(_ file: FileToStore) throws(TransferFailure) -> ObjectUpload

  /// Sends the parts of an upload that the store does not have. Throws `uploadGone` if the store
  /// does not know the upload any more, `partialFileChanged` if another program has changed the
  /// file, and `cancelled` when it is to stop.
  ///
  /// - Parameter advance: is called with the number of bytes that the store has; returns whether to
  ///   go on.
  func send(
    _ file: FileToStore, as upload: ObjectUpload, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure)

  /// Makes a file an object, and returns its `s3://` URL. If an earlier call has done it, although
  /// its answer was lost, that counts. Throws `nameTaken` if another object has the name, and
  /// `uploadGone` like `send`.
  func publish(_ file: FileToStore) throws(TransferFailure) -> FinishedFile

  /// Discards the parts of an upload, also when the store does not know it any more.
  func abort(
    _ upload: ObjectUpload, in destination: ObjectDestination
  ) throws(TransferFailure)
}

/// A prefix of a bucket, and how its store is reached.
package struct ObjectDestination: Sendable, Hashable {
  package var prefix: ObjectPrefix
  /// What the transfer says; the store knows the rest.
  package var access: ObjectStoreAccess

  package init(_ prefix: ObjectPrefix, _ access: ObjectStoreAccess = ObjectStoreAccess()) {
    self.prefix = prefix
    self.access = access
  }

  /// nil for a transfer whose destination is a directory.
  init?(_ spec: TransferSpec) {
    guard let prefix = spec.objectPrefix else { return nil }
    self.init(prefix, spec.options.store ?? ObjectStoreAccess())
  }
}

/// A complete partial file that is to become an object.
package struct FileToStore: Sendable, Hashable {
  package var transfer: TransferID
  package var destination: ObjectDestination
  package var name: String
  package var path: String
  package var byteCount: Int64
  /// The modification time, since 1970.
  package var modifiedNanoseconds: Int64
  package var onConflict: ConflictPolicy
  package var mediaType: String?
  /// By what the object is recognized later; nil leaves that to the store.
  package var mark: String?
  /// Set for a file that is sent in parts.
  package var upload: ObjectUpload?

  package init(
    transfer: TransferID, destination: ObjectDestination, name: String, path: String,
    byteCount: Int64, modifiedNanoseconds: Int64, onConflict: ConflictPolicy,
    upload: ObjectUpload? = nil
  ) {
    self.transfer = transfer
    self.destination = destination
    self.name = name
    self.path = path
    self.byteCount = byteCount
    self.modifiedNanoseconds = modifiedNanoseconds
    self.onConflict = onConflict
    self.upload = upload
  }
}

/// Refuses every file: the store of a service that has none.
package struct NoObjectStore: ObjectStore {
  package init() {}

  private func refusal(_ destination: ObjectDestination) -> TransferFailure {
    TransferFailure(
      .storeRefused, on: destination.prefix.text, detail: "this service has no object stores")
  }

  package func exists(
    _ name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> Bool { throw refusal(destination) }

  package func standing(
    of object: StoredObject, named name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> FinishedFileStanding { throw refusal(destination) }

  package func carries(
    _ mark: String, _ name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> Bool { throw refusal(destination) }

  package func createsOnly(
    _ name: String, in destination: ObjectDestination
  ) throws(TransferFailure) -> Bool { throw refusal(destination) }

  package func begin(_ file: FileToStore) throws(TransferFailure) -> ObjectUpload {
    throw refusal(file.destination)
  }

  package func send(
    _ file: FileToStore, as upload: ObjectUpload, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) { throw refusal(file.destination) }

  package func publish(_ file: FileToStore) throws(TransferFailure) -> FinishedFile {
    throw refusal(file.destination)
  }

  package func abort(
    _ upload: ObjectUpload, in destination: ObjectDestination
  ) throws(TransferFailure) { throw refusal(destination) }
}
