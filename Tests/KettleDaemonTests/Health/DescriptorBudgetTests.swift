import Testing

@testable import KettleDaemon

struct DescriptorBudgetTests {
  // Fault 103
  @Test(arguments: [
    (0, 4, 1), (32, 8, 1), (64, 16, 5), (256, 64, 53), (1024, 256, 245), (524_288, 256, 174_666),
  ])
  func `any limit leaves room for clients and for a download`(
    limit: Int, clients: Int, connections: Int
  ) {
    let budget = DescriptorBudget(limit: limit)
    #expect(budget.clientCountMax == clients)
    #expect(budget.connectionCountMax == connections)
  }

  @Test func `the budget stays within the descriptor limit`() {
    for limit in 48...5000 {
      let budget = DescriptorBudget(limit: limit)
      #expect(budget.clientCountMax + 3 * budget.connectionCountMax + 32 <= limit)
    }
  }
}
