// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/OtherSessions.md
import BackgroundTransfer
import Foundation
import FoundationNetworking

@MainActor
func runOtherSessions2() throws {
  typealias URLSession = BackgroundTransfer.URLSession
  typealias URLSessionConfiguration = BackgroundTransfer.URLSessionConfiguration

  let books = URLSession(configuration: .background(withIdentifier: "org.example.books"))
  let plain = FoundationNetworking.URLSession(configuration: .default)
  _ = books
  _ = plain
}
