import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct ListReaderTests {
  private func reader(_ service: FakeService) -> ListReader {
    ListReader(service: service, pageCount: 3)
  }

  private func service(_ count: Int64) -> FakeService {
    FakeService((1...count).map { snapshot($0, .queued) })
  }

  @Test(arguments: [1, 3, 4, 6, 10] as [Int64])
  func `a list longer than a window is read completely`(count: Int64) async throws {
    let rows = try await reader(service(count)).all()
    #expect(rows.map(\.id.rawValue) == Array(1...count))
  }

  @Test func `removing transfers between two windows skips no later transfer`() async throws {
    let service = service(9)
    service.afterList { $0.removeFirst(2) }
    let rows = try await reader(service).all()
    #expect(rows.map(\.id.rawValue) == Array(1...9))
  }

  @Test func `a transfer that arrives between two windows causes no duplicates`() async throws {
    let service = service(4)
    service.afterList { $0.insert(snapshot(99, .queued), at: 0) }
    let rows = try await reader(service).all()
    #expect(Set(rows.map(\.id.rawValue)).isSuperset(of: 1...4))
    #expect(Set(rows.map(\.id)).count == rows.count)
  }

  @Test func `a list that becomes empty between two windows ends the reading`() async throws {
    let service = service(9)
    service.afterList { $0.removeAll() }
    let rows = try await reader(service).all()
    #expect(rows.map(\.id.rawValue) == [1, 2, 3])
  }
}
