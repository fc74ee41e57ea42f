import KettleModel

/// Web pages that arrive in place of files.
enum PageInstead {
  static let mediaTypes = FileName.mediaTypesOfPages

  /// Whether a response of this type under this name is a page in place of the file: the name has
  /// an extension, and not one under which pages are served.
  static func isLikely(mediaType: String?, name: String) -> Bool {
    guard let mediaType, mediaTypes.contains(mediaType), let ending = fileExtension(of: name)
    else { return false }
    return !extensionsOfPages.contains(ending)
  }

  /// Pages, the programs that make them, text that servers show as a page, and the ends of host
  /// names, under which the first page of a host is saved.
  private static let extensionsOfPages: Set<String> = [
    "html", "htm", "xhtml", "xht", "shtml", "shtm", "mhtml", "phtml", "dhtml", "jhtml", "rhtml",
    "php", "php3", "php4", "php5", "asp", "aspx", "ashx", "jsp", "jspx", "jsf", "do", "action",
    "cgi", "fcgi", "pl", "cfm", "mvc", "page",
    "txt", "text", "md", "markdown", "rst", "adoc", "log", "json", "jsonld", "xml", "xsl", "xslt",
    "rss", "atom", "rdf", "svg", "css", "js", "mjs",
    "com", "org", "net", "io", "dev",
  ]

  /// Formats whose names begin with a digit.
  private static let numberedFormats: Set<String> = ["7z", "3gp", "3g2", "3mf", "3ds"]

  /// The extension of a name in lower case; nil without one. What begins with a digit is rather the
  /// end of a version (`name-1.2`, `v2.0rc1`) than a format, except for the few formats that do and
  /// for the parts of a divided archive (`a.zip.001`).
  private static func fileExtension(of name: String) -> String? {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    let ending = name[dot...].dropFirst().lowercased()
    guard (1...16).contains(ending.utf8.count),
      ending.utf8.allSatisfy({ (48...57).contains($0) || (97...122).contains($0) })
    else { return nil }
    guard ending.first?.isNumber == true, !numberedFormats.contains(ending) else { return ending }
    let isPartOfArchive = ending.utf8.count == 3 && ending.hasPrefix("0") && Int(ending) != nil
    return isPartOfArchive && name[..<dot].contains(".") ? ending : nil
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
    description = .none
  }
}

extension TransferFailure {
  /// The link has served bytes of the file, and leads to a web page.
  static func pageInstead(of url: TransferURL) -> TransferFailure {
    TransferFailure(
      .linkExpired, on: url.text, detail: "it sent a web page in place of the file")
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
