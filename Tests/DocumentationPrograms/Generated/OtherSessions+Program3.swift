// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/OtherSessions.md
import FoundationNetworking
import class BackgroundTransfer.URLSession
import class BackgroundTransfer.URLSessionConfiguration

@MainActor
func runOtherSessions3() throws {
  let books = URLSession(configuration: .background(withIdentifier: "org.example.books"))
  let plain = FoundationNetworking.URLSession.shared
  _ = books
  _ = plain
}
