import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.BatchApi;
import org.openapitools.client.api.CompanyApi;
import org.openapitools.client.api.CrmApi;
import org.openapitools.client.api.CrmApi.APIcreateCrmContactRequest;
import org.openapitools.client.api.CrmApi.APIlistCrmDealRequest;
import org.openapitools.client.api.SignInApi;
import org.openapitools.client.model.Batch;
import org.openapitools.client.model.BatchRequest;
import org.openapitools.client.model.ChoiceCondition;
import org.openapitools.client.model.CreateCrmCompanyRequest;
import org.openapitools.client.model.CreateCrmContactRequest;
import org.openapitools.client.model.CreateCrmDealRequest;
import org.openapitools.client.model.CrmCompanyCreate;
import org.openapitools.client.model.CrmCompanyUpdate;
import org.openapitools.client.model.CrmCompanyWhere;
import org.openapitools.client.model.CrmContact;
import org.openapitools.client.model.CrmContactChange;
import org.openapitools.client.model.CrmContactCreate;
import org.openapitools.client.model.CrmContactCreateItem;
import org.openapitools.client.model.CrmDeal;
import org.openapitools.client.model.CrmDealCreate;
import org.openapitools.client.model.CrmDealQuery;
import org.openapitools.client.model.CrmDealUpdate;
import org.openapitools.client.model.CrmDealWhere;
import org.openapitools.client.model.DeleteMatchingCrmDealRequest;
import org.openapitools.client.model.IntegerCondition;
import org.openapitools.client.model.IntegerConditionAnyOf;
import org.openapitools.client.model.SignUp;
import org.openapitools.client.model.StringCondition;
import org.openapitools.client.model.SumQuery;
import org.openapitools.client.model.SumQueryMeasures;
import org.openapitools.client.model.UpdateMatchingCrmDealRequest;

/** Calls of all kinds by a client that openapi-generator makes for Java. */
final class Calls {
    private static final AtomicInteger answered = new AtomicInteger();

    private Calls() {}

    /** What is done by a call that may be refused. */
    private interface Call {
        void make() throws ApiException;
    }

    private static void same(Object found, Object wanted) {
        if (!Objects.equals(found, wanted)) {
            throw new AssertionError("call " + answered + ": " + found + " instead of " + wanted);
        }
    }

    private static int refused(Call call) {
        try {
            call.make();
        } catch (ApiException refusal) {
            return refusal.getCode();
        }
        throw new AssertionError("call " + answered + ": not refused");
    }

    private static CrmContactCreateItem person(String name, UUID company) {
        String email = name + "@example.com";
        return new CrmContactCreateItem().firstName(name).lastName("Hopper").email(email).companyId(company);
    }

    private static IntegerCondition amount(IntegerConditionAnyOf compared) {
        return new IntegerCondition(compared);
    }

    public static void main(String[] arguments) throws ApiException {
        String email = arguments[1];
        ApiClient client = new ApiClient();
        client.setBasePath(arguments[0]);
        client.setHttpClient(client.getHttpClient().newBuilder().addInterceptor(chain -> {
            answered.incrementAndGet();
            return chain.proceed(chain.request());
        }).build());
        SignUp account = new SignUp().email(email).password("correct horse battery");
        client.setBearerToken(new SignInApi(client).signUp(account).execute().getToken());
        CompanyApi companies = new CompanyApi(client);
        CrmApi crm = new CrmApi(client);

        CrmCompanyCreate works = new CrmCompanyCreate().name("Harbour Works").industry("shipping");
        var company = companies.createCrmCompany(new CreateCrmCompanyRequest(works)).execute().getCrmCompany();
        UUID id = company.getId();
        same(company.getIndustry(), "shipping");
        same(companies.readCrmCompany(id.toString()).execute().getName(), "Harbour Works");
        var updated = companies.updateCrmCompany(id.toString(), new CrmCompanyUpdate().employees(11)).executeWithHttpInfo();
        String tag = updated.getHeaders().get("ETag").get(0);
        CrmCompanyUpdate renamed = new CrmCompanyUpdate().name("Dock Works");
        same(companies.patchCrmCompany(id.toString(), renamed).ifMatch(tag).execute().getName(), "Dock Works");
        same(refused(() -> companies.patchCrmCompany(id.toString(), renamed).ifMatch(tag).execute()), 412);

        var many = new CreateCrmContactRequest(List.of(person("ada", id), person("bea", id)));
        List<UUID> ids = crm.createCrmContact(many).execute().getCrmContactWritten().getData().stream().map(CrmContact::getId).toList();
        UUID ada = ids.get(0);
        CrmContactCreate cleo = new CrmContactCreate().firstName("cleo").lastName("Hopper").email("cleo@example.com").companyId(id);
        var brief = crm.createCrmContact(new CreateCrmContactRequest(cleo))._return("minimal").execute();
        same(brief.getWrittenVersion().getVersion(), 1);
        var briefs = crm.createCrmContact(new CreateCrmContactRequest(List.of(person("dora", id))))._return("minimal").execute();
        same(briefs.getWrittenVersions().getData().size(), 1);
        var merged = upsert(crm, person("ada", id).title("Dr")).execute();
        same(merged.getCrmContactWritten().getMeta().getUpdated(), 1);
        var left = upsert(crm, person("ada", id), person("eve", id)).resolution("ignore").execute();
        same(left.getCrmContactWritten().getMeta().getIgnored(), 1);
        same(left.getCrmContactWritten().getMeta().getCreated(), 1);

        CrmDealCreate sale = new CrmDealCreate().name("Cranes").amount(3000).companyId(id).contactId(ada);
        var once = crm.createCrmDeal(new CreateCrmDealRequest(sale)).idempotencyKey("once-" + email);
        CrmDeal deal = once.execute().getCrmDeal();
        same(once.execute().getCrmDeal().getId(), deal.getId());
        CrmDealCreate buoys = new CrmDealCreate().name("Buoys").amount(500).stage(CrmDealCreate.StageEnum.WON).companyId(id);
        crm.createCrmDeal(new CreateCrmDealRequest(buoys)).execute();

        same(names(crm, asked -> asked.companyIndustry("shipping").contactEmail("ada@example.com")), List.of("Cranes"));
        same(names(crm, asked -> asked.amountEq(500)), List.of("Buoys"));
        same(names(crm, asked -> asked.amountGte(500).stage("lead").sort("-amount")), List.of("Cranes"));
        String docks = "{\"company\": {\"name\": \"Dock Works\"}}";
        same(names(crm, asked -> asked.where(docks).sort("name")), List.of("Buoys", "Cranes"));
        CrmDeal related = crm.listCrmDeal().expand("company,contact.company").search("cran").execute().getData().get(0);
        same(related.getCompany().getName(), "Dock Works");
        same(related.getContact().getCompany().getId(), id);
        var walk = crm.listCrmDeal().cursor("").take(1).count("exact").execute().getMeta();
        same(walk.getCount(), 2);
        same(walk.getNext().isEmpty(), false);
        same(companies.readCrmCompany(id.toString()).expand("deals").execute().getDeals().size(), 2);
        var page = companies.listCrmCompany().industryIn("shipping,mining").execute();
        same(page.getTotal(), 1);
        same(page.getHasMore(), false);
        CrmDealWhere small = new CrmDealWhere().amount(amount(new IntegerConditionAnyOf().lt(1000)));
        small.company(new CrmCompanyWhere().industry(new StringCondition("shipping")));
        var asked = crm.queryCrmDeal(new CrmDealQuery().where(small).sort(List.of("name"))).execute();
        same(asked.getData().stream().map(CrmDeal::getName).toList(), List.of("Buoys"));
        var sums = crm.aggregateCrmDeal().group("stage").sum("amount").sort("stage").execute().getData();
        same(sums.stream().map(each -> each.getSum().get("amount")).toList(), List.of(3000.0, 500.0));
        var counting = new SumQuery().measures(new SumQueryMeasures().count(true));
        same(crm.queryAggregateCrmDeal(counting).execute().getData().get(0).getCount(), 2);
        var exported = crm.exportCrmDeal().as("json").sort("name").execute();
        same(exported.stream().map(CrmDeal::getName).toList(), List.of("Buoys", "Cranes"));

        var read = new BatchRequest().method(BatchRequest.MethodEnum.GET).path("/api/v1/crm/deal/" + deal.getId());
        var replies = new BatchApi(client).batch(new Batch().requests(List.of(read))).execute().getData();
        same(replies.get(0).getStatus(), 200);
        same(((Map<?, ?>) replies.get(0).getBody()).get("name"), "Cranes");
        var changed = crm.updateManyCrmContact(List.of(new CrmContactChange().id(ada).title("Prof"))).execute();
        same(changed.getCrmContactWritten().getData().get(0).getTitle(), "Prof");
        var again = crm.patchManyCrmContact(List.of(new CrmContactChange().id(ada).title("Dr")))._return("minimal").execute();
        same(again.getWrittenVersions().getData().get(0).getVersion(), 4);
        CrmDealWhere large = new CrmDealWhere().amount(amount(new IntegerConditionAnyOf().gte(1000)));
        var set = new UpdateMatchingCrmDealRequest().where(large).max(10).set(new CrmDealUpdate().nextStep("Call"));
        same(crm.updateMatchingCrmDeal(set.dryRun(true)).execute().getMeta().getCount(), 1);
        CrmDealWhere won = new CrmDealWhere().stage(new ChoiceCondition("won"));
        var matching = new DeleteMatchingCrmDealRequest().where(won).max(10);
        same(crm.deleteMatchingCrmDeal(matching).execute().getMeta().getCount(), 1);
        same(crm.deleteManyCrmContact().ids(ids.get(1).toString()).execute().getData().size(), 1);
        same(crm.deleteCrmDeal(deal.getId().toString()).execute().getDeleted(), true);
        same(refused(() -> crm.readCrmDeal(deal.getId().toString()).execute()), 404);
        System.out.println("right: " + answered);
    }

    private static APIcreateCrmContactRequest upsert(CrmApi crm, CrmContactCreateItem... people) {
        return crm.createCrmContact(new CreateCrmContactRequest(List.of(people))).onConflict("email");
    }

    private static List<String> names(CrmApi crm, UnaryOperator<APIlistCrmDealRequest> asking) throws ApiException {
        return asking.apply(crm.listCrmDeal()).execute().getData().stream().map(CrmDeal::getName).toList();
    }
}
