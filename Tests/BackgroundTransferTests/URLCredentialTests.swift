import BackgroundTransfer
import Foundation
import Testing

struct URLCredentialTests {
  @Test func `a user name and password stay as they are`() {
    let credential = URLCredential(user: "a", password: "b", persistence: .forSession)
    #expect(credential.user == "a")
    #expect(credential.password == "b")
  }
}
