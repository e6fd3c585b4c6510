-- path: models/history/hist_customers_versions.sql
-- kind: incremental
-- schema: history
-- table: customers_versions

select rows_now.*, cast($build_moment as timestamp) as dbt_valid_from from "staging"."customers" as rows_now

-- later:
with present as (
        select rows_now.*, hash(shop_id, id, group_id, ref, name, email, invoiceemail, mobile, phone, company, vat_registration_number, gender, type, referred_by, account_manager, comments, country_code, first_name, middle_name, last_name, address, city, post_code, country, group_name, payment_term_days, credit_limit, is_gdpr_compliant, has_sms_consent, has_print_consent, has_email_marketing_consent, has_email_notifications_consent, is_intra_community, is_vat_exempt, created_at, created_day, last_updated_at, last_updated_day, birth_at, birth_day, deleted_at, unreadable) as content from "staging"."customers" as rows_now
    ),

    placed as (
        select
            shop_id, id, dbt_valid_from,
            case when seen_at is not null then hash(cast(shop_id as TEXT), cast(id as TEXT), cast(group_id as TEXT), cast(ref as TEXT), cast(name as TEXT), cast(email as TEXT), cast(invoiceemail as TEXT), cast(mobile as TEXT), cast(phone as TEXT), cast(company as TEXT), cast(vat_registration_number as TEXT), cast(gender as TEXT), cast(type as TEXT), cast(referred_by as TEXT), cast(account_manager as TEXT), cast(comments as TEXT), cast(country_code as TEXT), cast(first_name as TEXT), cast(middle_name as TEXT), cast(last_name as TEXT), cast(address as TEXT), cast(city as TEXT), cast(post_code as TEXT), cast(country as TEXT), cast(group_name as TEXT), cast(payment_term_days as DECIMAL(28,4)), cast(credit_limit as DECIMAL(28,4)), cast(is_gdpr_compliant as BOOLEAN), cast(has_sms_consent as BOOLEAN), cast(has_print_consent as BOOLEAN), cast(has_email_marketing_consent as BOOLEAN), cast(has_email_notifications_consent as BOOLEAN), cast(is_intra_community as BOOLEAN), cast(is_vat_exempt as BOOLEAN), cast(created_at as TIMESTAMP WITH TIME ZONE), cast(created_day as DATE), cast(last_updated_at as TIMESTAMP WITH TIME ZONE), cast(last_updated_day as DATE), cast(birth_at as TIMESTAMP WITH TIME ZONE), cast(birth_day as DATE), cast(deleted_at as TIMESTAMP WITH TIME ZONE), cast(unreadable as TEXT)) end as content,
            row_number() over (partition by shop_id, id order by dbt_valid_from desc) as place
        from "history"."customers_versions"
    ),

    newest as (
        select * from placed where place = 1
    )

    select
        coalesce(present.shop_id, newest.shop_id) as shop_id,
        coalesce(present.id, newest.id) as id,
        present.group_id,
        present.ref,
        present.name,
        present.email,
        present.invoiceemail,
        present.mobile,
        present.phone,
        present.company,
        present.vat_registration_number,
        present.gender,
        present.type,
        present.referred_by,
        present.account_manager,
        present.comments,
        present.country_code,
        present.first_name,
        present.middle_name,
        present.last_name,
        present.address,
        present.city,
        present.post_code,
        present.country,
        present.group_name,
        present.payment_term_days,
        present.credit_limit,
        present.is_gdpr_compliant,
        present.has_sms_consent,
        present.has_print_consent,
        present.has_email_marketing_consent,
        present.has_email_notifications_consent,
        present.is_intra_community,
        present.is_vat_exempt,
        present.created_at,
        present.created_day,
        present.last_updated_at,
        present.last_updated_day,
        present.birth_at,
        present.birth_day,
        present.seen_at,
        present.deleted_at,
        present.unreadable,
        -- A clock that was set back would put the new version before the one it follows.
        case
            when newest.dbt_valid_from >= cast($build_moment as timestamp) then newest.dbt_valid_from + interval '1 microsecond'
            else cast($build_moment as timestamp)
        end as dbt_valid_from
    from present
    left join newest
        on newest.shop_id = present.shop_id and newest.id = present.id
    where present.content is distinct from newest.content
