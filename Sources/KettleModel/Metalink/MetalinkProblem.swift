/// Why a Metalink cannot be used.
package enum MetalinkProblem: Error, Hashable, Sendable {
  case tooLarge
  case notText
  case xml(XMLProblem)
  case tooManyFiles
  /// Version 3 has another namespace and other elements.
  case oldVersion
  case notMetalink
  case empty
  /// No URL for the file that can be used.
  case noURL(String)

  /// For the detail of a failure.
  package var words: String {
    switch self {
    case .tooLarge: "it is longer than \(MetalinkFile.byteCountMax) bytes"
    case .notText: "it is not UTF-8 text"
    case .xml(.malformed(let line)): "line \(line) is not valid XML"
    case .xml(.documentType): "it has a document type"
    case .xml(.tooDeep): "its elements are nested too deeply"
    case .tooManyFiles: "it has more than \(MetalinkFile.fileCountMax) files"
    case .oldVersion: "it has version 3"
    case .notMetalink: "it is not a Metalink"
    case .empty: "it describes no file"
    case .noURL(let file): "it has no URL for \"\(file)\" that can be used"
    }
  }
}
