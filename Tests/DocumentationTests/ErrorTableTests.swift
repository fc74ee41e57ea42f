import BackgroundTransfer
import Foundation
import Testing

struct ErrorTableTests {
  private static let codes: [String: URLError.Code] = [
    "backgroundSessionInUseByAnotherProcess": .backgroundSessionInUseByAnotherProcess,
    "backgroundSessionWasDisconnected": .backgroundSessionWasDisconnected,
    "badServerResponse": .badServerResponse, "badURL": .badURL, "cancelled": .cancelled,
    "cannotConnectToHost": .cannotConnectToHost, "cannotCreateFile": .cannotCreateFile,
    "cannotFindHost": .cannotFindHost, "cannotMoveFile": .cannotMoveFile,
    "cannotWriteToFile": .cannotWriteToFile,
    "clientCertificateRejected": .clientCertificateRejected,
    "clientCertificateRequired": .clientCertificateRequired,
    "dataLengthExceedsMaximum": .dataLengthExceedsMaximum,
    "fileDoesNotExist": .fileDoesNotExist, "httpTooManyRedirects": .httpTooManyRedirects,
    "networkConnectionLost": .networkConnectionLost,
    "redirectToNonExistentLocation": .redirectToNonExistentLocation,
    "resourceUnavailable": .resourceUnavailable,
    "serverCertificateUntrusted": .serverCertificateUntrusted, "timedOut": .timedOut,
    "unknown": .unknown, "unsupportedURL": .unsupportedURL,
    "userAuthenticationRequired": .userAuthenticationRequired,
  ]

  /// Returns the names in backquotes and the numbers in the first two cells of each numbered row.
  private func rows() throws -> [(names: [String], numbers: [Int])] {
    let page = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(
        path: "../../Sources/BackgroundTransfer/Documentation.docc/WhenSomethingGoesWrong.md")
    return try String(contentsOf: page.standardizedFileURL, encoding: .utf8)
      .split(separator: "\n").compactMap { line in
        let cells = line.split(separator: "|")
        guard cells.count > 2, cells[0].contains("`") else { return nil }
        let numbers = cells[1].split(separator: ",")
          .compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
        let names = cells[0].split(separator: "`").enumerated()
          .filter { !$0.offset.isMultiple(of: 2) && $0.element != "backgroundTaskCancelledReason" }
        return numbers.isEmpty ? nil : (names.map { String($0.element) }, numbers)
      }
  }

  @Test func `the documented error codes match Foundation`() throws {
    let rows = try rows()
    #expect(Set(rows.flatMap(\.names)) == Set(Self.codes.keys))
    for row in rows {
      #expect(row.numbers == row.names.compactMap { Self.codes[$0]?.rawValue }, "\(row.names)")
    }
  }
}
