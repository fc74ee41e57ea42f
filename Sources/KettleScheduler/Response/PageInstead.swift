import KettleModel

/// Web pages that arrive in place of files.
enum PageInstead {
  /// The ends of names whose files are certainly no web pages.
  static let nameEndings = [
    ".iso", ".img", ".zip", ".7z", ".rar", ".gz", ".xz", ".bz2", ".zst", ".tar", ".tgz", ".txz",
    ".pdf", ".deb", ".rpm", ".apk", ".dmg", ".exe", ".msi", ".jar", ".mp3", ".mp4", ".mkv", ".avi",
    ".webm", ".flac", ".jpg", ".png", ".epub",
  ]
  static let mediaTypes: Set<String> = ["text/html", "application/xhtml+xml"]

  /// Whether a response of this type under this name is a page in place of the file.
  static func isLikely(mediaType: String?, name: String) -> Bool {
    guard let mediaType, mediaTypes.contains(mediaType) else { return false }
    let name = name.lowercased()
    return nameEndings.contains { name.hasSuffix($0) }
  }
}

extension TransferFacts {
  /// Whether a web page arrived in place of the file and the user has not accepted it. A program
  /// judges the responses to its tasks itself.
  var hasPageInstead: Bool {
    guard !isTask, let resumeData else { return false }
    return PageInstead.isLikely(mediaType: resumeData.mediaType, name: resumeData.finalName)
  }
}

extension TransferFacts {
  /// Requests the file again from zero, because a page arrived in its place.
  mutating func discardPage() {
    forgetBytes()
    resumeData?.mediaType = nil
    resumeData?.serverChecksum = nil
    freshStart = .asked
  }
}

extension TransferMachine.State {
  /// Takes the page as the file, or trusts the server.
  func accept(_ facts: inout TransferFacts, _ operation: OperationID) -> Transition {
    guard case .waiting(let waiting) = self, waiting.reason == .needsDecision else {
      return .refused(.nothingToDecide)
    }
    if let certificate = waiting.failure.certificate {
      facts.trust(TrustedServer(certificate))
      return .entering(.queued)
    }
    guard facts.resumeData != nil else { return .refused(.nothingToDecide) }
    // Its type has served its purpose, and without it the decision survives a restart.
    facts.resumeData?.mediaType = nil
    guard let resumeData = facts.resumeData else { return .none }
    return Finishing(operation).begin(&facts, with: resumeData)
  }

  /// Adds the title of the page to the sentence that asks for the decision.
  func titleRead(_ title: String) -> Transition {
    guard case .waiting(var waiting) = self, waiting.failure.code == .webPage else { return .none }
    waiting.failure.detail = title
    return .entering(.waiting(waiting))
  }
}
