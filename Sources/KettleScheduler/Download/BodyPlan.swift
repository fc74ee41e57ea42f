import KettleModel

/// Where the body of the first response is written.
package enum BodyPlan: Sendable, Hashable {
  /// A new partial file.
  case create(NewFile)
  /// The existing partial file; durable bytes stay.
  case goOn(ResumeData)

  package struct NewFile: Sendable, Hashable {
    package var preferredName: String
    package var total: Int64?
    package var validator: Validator?
    package var checksum: Checksum?
    package var mediaType: String?
    /// How the body is compressed; nil if it is not.
    package var contentCoding: String?
    /// Whether a file that another program has left under the name is continued.
    package var continues = false
    /// The partial file of another version, whose final name the new one takes over.
    package var old: Old?

    package init(
      preferredName: String, total: Int64?, validator: Validator?, checksum: Checksum? = nil,
      mediaType: String? = nil, old: Old? = nil
    ) {
      self.preferredName = preferredName
      self.total = total
      self.validator = validator
      self.checksum = checksum
      self.mediaType = mediaType
      self.old = old
    }
  }

  package struct Old: Sendable, Hashable {
    package var resumeData: ResumeData
    package var fate: Fate

    package enum Fate: Sendable, Hashable {
      /// It is ours and is deleted when the new one is whole.
      case setAside
      /// Another program changed it; it no longer belongs to Kettle.
      case leftAlone
    }
  }
}
