import KettleEngine
import KettleModel

/// The moment in which a file becomes an object.
struct Publication {
  private let client: ObjectStoreClient
  private let file: FileToStore

  /// How often the completion of an upload is requested.
  private static let attemptCountMax = 5

  init(of file: FileToStore, by client: ObjectStoreClient) {
    self.client = client
    self.file = file
  }

  /// Blocks until the store says that it has the object.
  func run() throws(TransferFailure) -> FinishedFile {
    if let upload = file.upload { return try complete(upload) }
    return try putWhole()
  }

  // MARK: Parts

  private func complete(_ upload: ObjectUpload) throws(TransferFailure) -> FinishedFile {
    let conversation = try StoreConversation(client, file.destination, key: upload.key)
    var last = conversation.contradiction("it did not answer")
    for _ in 0..<Self.attemptCountMax {
      let parts: [StoredPart]
      do throws(TransferFailure) { parts = try completeParts(of: upload, conversation) } catch {
        // The answer to the last request may have been lost.
        guard error.code == .uploadGone,
          let object = try ownObject(upload.mark, conversation)
        else { throw error }
        return object
      }
      let verdict = try conversation.exchange(
        .complete(upload, parts, onConflict: file.onConflict), isRepeated: false
      ).verdict
      switch verdict {
      case .done(let document):
        return try takenObject(upload.mark, tag: document.value("ETag"), conversation)
      case .again, .uploadGone, .notFound, .taken:
        if let object = try ownObject(upload.mark, conversation) { return object }
      case .keysExpired, .otherRegion, .refused: throw conversation.failure(of: verdict)
      }
      if verdict == .taken { throw try lostRace(upload, conversation) }
      last = conversation.failure(of: verdict)
    }
    throw last
  }

  /// The parts of an upload; throws `uploadGone` if one is missing, so that it is sent again.
  private func completeParts(
    of upload: ObjectUpload, _ conversation: StoreConversation
  ) throws(TransferFailure) -> [StoredPart] {
    let parts = try conversation.parts(of: upload)
    let layout = PartSending.Layout(
      byteCount: file.byteCount, partByteCount: upload.partByteCount)
    let isComplete =
      parts.count == layout.count
      && parts.enumerated().allSatisfy { index, part in
        part.number == index + 1 && part.byteCount == layout.range(part.number)?.byteCount
      }
    guard isComplete else {
      // It is sent again from the beginning, in another upload.
      try? client.abort(upload, in: file.destination)
      throw TransferFailure(
        .uploadGone, on: conversation.object,
        detail: "it has \(parts.count) of \(layout.count) parts")
    }
    return parts
  }

  /// Another program has stored an object under the name since the upload began.
  private func lostRace(
    _ upload: ObjectUpload, _ conversation: StoreConversation
  ) throws(TransferFailure) -> TransferFailure {
    let taken = TransferFailure(.nameTaken, on: conversation.object)
    switch file.onConflict {
    case .skip, .replace: return taken
    case .rename:
      // A key that may not look at objects finds no free name.
      if case .untold = try client.head(conversation) { return taken }
      // An upload belongs to one name.
      try? client.abort(upload, in: file.destination)
      return TransferFailure(
        .uploadGone, on: conversation.object, detail: "another object took the name")
    }
  }

  // MARK: A small file

  /// Stores a file in one request, under the first name that no object has. An object with its
  /// digest counts as this file: an earlier request may have stored it. The store is asked before,
  /// because one without conditional writes would overwrite an object.
  private func putWhole() throws(TransferFailure) -> FinishedFile {
    let digest: [UInt8]
    if let range = ByteRange(lower: 0, upper: file.byteCount) {
      digest = try client.ports.digest(file.path, range)
    } else {
      digest = client.ports.digestOfBytes([]) ?? []
    }
    let mark = file.mark ?? digest.hexadecimal
    let part = StoreRequest.FilePart(of: file, lower: 0, upper: file.byteCount, sha256: digest)
    for name in FileName.candidates(for: file.name) {
      let key = try client.key(of: name, in: file.destination)
      let conversation = try StoreConversation(client, file.destination, key: key)
      if file.onConflict != .replace, case .found(let head) = try client.head(conversation) {
        if isOwn(head, mark) { return try checked(head, conversation) }
        if file.onConflict == .rename { continue }
        throw TransferFailure(.nameTaken, on: conversation.object)
      }
      let (verdict, head) = try conversation.exchange(
        .put(part, at: key, file.onConflict, mediaType: file.mediaType, mark: mark))
      switch verdict {
      case .done: return try takenObject(mark, tag: head.value(of: "ETag"), conversation)
      case .taken:
        if let object = try ownObject(mark, conversation) { return object }
        if file.onConflict != .rename {
          throw TransferFailure(.nameTaken, on: conversation.object)
        }
      case .notFound, .uploadGone, .again, .keysExpired, .otherRegion, .refused:
        throw conversation.failure(of: verdict)
      }
    }
    throw client.taken(file.name, in: file.destination)
  }

  // MARK: What the store has

  /// The object that the store has just taken. Its word counts where the object cannot be looked
  /// at, has lost its mark on the way, or was moved away by others. One with the mark has the right
  /// size.
  ///
  /// - Parameter tag: the ETag that it has sent; nil for none.
  private func takenObject(
    _ mark: String, tag: String?, _ conversation: StoreConversation
  ) throws(TransferFailure) -> FinishedFile {
    guard let object = try ownObject(mark, conversation) else {
      return finished(tag: tag, conversation)
    }
    return object
  }

  /// Returns the object if this transfer has stored it; nil if there is none, or if another program
  /// stored it.
  private func ownObject(
    _ mark: String, _ conversation: StoreConversation
  ) throws(TransferFailure) -> FinishedFile? {
    guard case .found(let head) = try client.head(conversation), isOwn(head, mark) else {
      return nil
    }
    return try checked(head, conversation)
  }

  private func isOwn(_ head: ResponseHead, _ mark: String) -> Bool {
    head.value(of: StoreRequest.markName) == mark
  }

  /// Throws if the object has another size than the file.
  private func checked(
    _ head: ResponseHead, _ conversation: StoreConversation
  ) throws(TransferFailure) -> FinishedFile {
    let byteCount = head.value(of: "Content-Length").flatMap { DecimalDigits.int64($0[...]) }
    guard byteCount == nil || byteCount == file.byteCount else {
      throw TransferFailure(
        .storeRefused, on: conversation.object,
        detail: "the object has \(byteCount ?? 0) bytes in place of \(file.byteCount)")
    }
    return finished(tag: head.value(of: "ETag"), conversation)
  }

  private func finished(tag: String?, _ conversation: StoreConversation) -> FinishedFile {
    var finished = FinishedFile(path: conversation.object, identity: nil)
    finished.object = StoredObject(byteCount: file.byteCount, entityTag: tag)
    return finished
  }
}
