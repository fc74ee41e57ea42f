// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/OtherSessions.md
import FoundationNetworking
import class BackgroundTransfer.URLSession
import class BackgroundTransfer.URLSessionConfiguration

@MainActor
private func program() async throws {
  let books = URLSession(configuration: .background(withIdentifier: "org.example.books"))
  let plain = FoundationNetworking.URLSession.shared
  _ = books
  _ = plain
}
